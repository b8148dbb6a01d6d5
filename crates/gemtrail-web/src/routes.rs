//! Addresses to pages.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    ALLOW, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, LOCATION,
    SET_COOKIE,
};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use gemtrail_core::model::SessionRef;
use gemtrail_export::html::MessagePart;
use gemtrail_query::Address;
use gemtrail_store::{Named, ResolveError};
use maud::Markup;

use crate::assets::Asset;
use crate::body::streamed;
use crate::guard::{Guard, Pass, RequestRefusal};
use crate::headers::sealed;
use crate::links;
use crate::pages::problem::Problem;
use crate::pages::session::Start;
use crate::pages::{
    self, changes, doctor, download, jump, message, overview, projects, search, session, sessions,
    tail,
};
use crate::viewer::Viewer;

type SharedViewer = State<Arc<Viewer>>;

/// All pages, behind the guard.
pub(crate) fn router(viewer: Arc<Viewer>, guard: Guard) -> Router {
    Router::new()
        .route("/", get(overview_page))
        .route("/sessions", get(sessions_page))
        .route("/sessions/{session}", get(session_page))
        .route("/sessions/{session}/live", get(live))
        .route("/sessions/{session}/colours.css", get(colours))
        .route("/sessions/{session}/download/{format}", get(download_file))
        .route("/sessions/{session}/messages/{anchor}", get(message_page))
        .route("/sessions/{session}/messages/{anchor}/raw", get(raw_record))
        .route(
            "/sessions/{session}/messages/{anchor}/{part}",
            get(part_page),
        )
        .route("/sessions/{session}/files", get(session_files))
        .route("/files", get(files_page))
        .route("/jump", get(jump_page))
        .route("/search", get(search_page))
        .route("/projects", get(projects_page))
        .route("/doctor", get(doctor_page))
        .route("/assets/{file}", get(asset))
        .fallback(async || Problem::NoPage)
        .with_state(viewer)
        .layer(middleware::from_fn_with_state(Arc::new(guard), guarded))
}

/// Lets a request through, or not; every answer has the headers of [`sealed`].
async fn guarded(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    sealed(match guard.check(&parts) {
        // What was sent along is not looked at.
        Ok(Pass::Known) => {
            drop(body);
            next.run(Request::from_parts(parts, Body::empty())).await
        }
        Ok(Pass::Launch) => {
            let mut response = redirect("/");
            if let Ok(cookie) = HeaderValue::from_str(&guard.cookie()) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Ok(Pass::Again) => redirect("/"),
        Err(refusal) => {
            let mut response = Problem::Refused(refusal).into_response();
            if refusal == RequestRefusal::Method {
                let allowed = HeaderValue::from_static("GET, HEAD");
                response.headers_mut().insert(ALLOW, allowed);
            }
            response
        }
    })
}

/// To a page of this server; never to an address that came with a request.
fn redirect(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

/// Runs work that reads files on a thread of its own, when it is its turn.
async fn apart<T: Send + 'static>(
    viewer: &Arc<Viewer>,
    work: impl FnOnce(&Arc<Viewer>) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let viewer = Arc::clone(viewer);
    let turn = viewer.turns.next().await;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&viewer)
    });
    let broken = |_| Err(Problem::Broken("the page could not be made".to_owned()));
    done.await.unwrap_or_else(broken)
}

/// The same for a page.
async fn drawn(
    viewer: &Arc<Viewer>,
    work: impl FnOnce(&Arc<Viewer>) -> Result<Markup, Problem> + Send + 'static,
) -> Result<Html<String>, Problem> {
    let markup = apart(viewer, work).await?;
    Ok(Html(markup.into_string()))
}

fn parsed(name: &str) -> Result<SessionRef, Problem> {
    name.parse().map_err(|_| Problem::NoSession)
}

async fn overview_page(
    State(viewer): SharedViewer,
    Query(period): Query<overview::Period>,
) -> Result<Html<String>, Problem> {
    drawn(&viewer, move |viewer| overview::page(viewer, &period)).await
}

async fn sessions_page(
    State(viewer): SharedViewer,
    Query(wanted): Query<sessions::SessionsWanted>,
) -> Result<Html<String>, Problem> {
    drawn(&viewer, move |viewer| sessions::page(viewer, &wanted)).await
}

async fn search_page(
    State(viewer): SharedViewer,
    Query(wanted): Query<search::SearchWanted>,
) -> Result<Html<String>, Problem> {
    drawn(&viewer, move |viewer| search::page(viewer, &wanted)).await
}

async fn session_files(
    State(viewer): SharedViewer,
    Path(name): Path<String>,
) -> Result<Html<String>, Problem> {
    let reference = parsed(&name)?;
    drawn(&viewer, move |viewer| {
        changes::of_session(viewer, reference)
    })
    .await
}

async fn files_page(
    State(viewer): SharedViewer,
    Query(wanted): Query<changes::FilesWanted>,
) -> Result<Html<String>, Problem> {
    drawn(&viewer, move |viewer| Ok(changes::page(viewer, &wanted))).await
}

async fn jump_page(
    State(viewer): SharedViewer,
    Query(wanted): Query<jump::JumpWanted>,
) -> Result<Html<String>, Problem> {
    drawn(&viewer, move |viewer| Ok(jump::page(viewer, &wanted))).await
}

async fn projects_page(State(viewer): SharedViewer) -> Result<Html<String>, Problem> {
    drawn(&viewer, |viewer| Ok(projects::page(viewer))).await
}

async fn doctor_page(State(viewer): SharedViewer) -> Result<Html<String>, Problem> {
    drawn(&viewer, doctor::page).await
}

async fn asset(uri: Uri) -> Result<Response, Problem> {
    let asset = Asset::at(uri.path()).ok_or(Problem::NoPage)?;
    Ok(asset.response())
}

/// The session that an address names.
fn named(viewer: &Viewer, name: &str) -> Result<SessionRef, Problem> {
    if let Ok(reference) = parsed(name)
        && viewer.row(reference).is_some()
    {
        return Ok(reference);
    }
    // Names of files are not looked at: a request must not tell what is on disk.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '@';
    if !name.chars().all(is_plain) {
        return Err(Problem::NoSession);
    }
    match viewer.trail.view().resolve(name) {
        Ok(Named::Session(reference)) => Ok(reference),
        Err(ResolveError::Ambiguous { .. }) => Err(Problem::Ambiguous(name.to_owned())),
        _ => Err(Problem::NoSession),
    }
}

/// A session, or a place in it: `REF:17.5`. Other names than the reference lead to the address that
/// stays.
async fn session_page(
    State(viewer): SharedViewer,
    Path(name): Path<String>,
    Query(start): Query<Start>,
) -> Result<Response, Problem> {
    let Address {
        name: wanted,
        place,
    } = Address::parse(&name);
    let reference = apart(&viewer, move |viewer| named(viewer, &wanted)).await?;
    if let Some(place) = place {
        let address = move |viewer: &Arc<Viewer>| message::address_of(viewer, reference, place);
        return Ok(redirect(&start.marking(&apart(&viewer, address).await?)));
    }
    let index = start.index();
    if reference.as_str() != name {
        let page = links::page(reference, index);
        return Ok(redirect(&start.marking(&page)));
    }
    let turn = viewer.turns.next_to_send().await;
    let body = streamed(turn, move |out| {
        session::write(&viewer, reference, index.unwrap_or_default(), out)
    });
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response())
}

async fn live(
    State(viewer): SharedViewer,
    Path(name): Path<String>,
    Query(seen): Query<tail::SeenMessages>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let reference = parsed(&name)?;
    let tag = viewer.versions.tag(viewer.versions.of(reference));
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let mut response = if known == Some(tag.as_str()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let news = drawn(&viewer, move |viewer| tail::news(viewer, reference, &seen));
        news.await.into_response()
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    Ok(response)
}

async fn colours(
    State(viewer): SharedViewer,
    Path(name): Path<String>,
    Query(start): Query<Start>,
) -> Result<impl IntoResponse, Problem> {
    let reference = parsed(&name)?;
    let index = start.index().unwrap_or_default();
    let style = apart(&viewer, move |viewer| {
        session::colours(viewer, reference, index)
    });
    Ok(([(CONTENT_TYPE, "text/css; charset=utf-8")], style.await?))
}

async fn download_file(
    State(viewer): SharedViewer,
    Path((name, format)): Path<(String, String)>,
    Query(wanted): Query<download::DownloadWanted>,
) -> Result<impl IntoResponse, Problem> {
    let reference = parsed(&name)?;
    let file = apart(&viewer, move |viewer| {
        download::file(viewer, reference, &format, &wanted)
    });
    let file = file.await?;
    let disposition = format!("attachment; filename=\"{}\"", file.name);
    let headers = [
        (CONTENT_TYPE, file.kind.to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, file.bytes))
}

async fn message_page(
    State(viewer): SharedViewer,
    Path((name, anchor)): Path<(String, String)>,
    Query(form): Query<pages::Form>,
    Query(start): Query<Start>,
) -> Result<Html<String>, Problem> {
    let reference = parsed(&name)?;
    drawn(&viewer, move |viewer| {
        message::page(viewer, reference, &anchor, None, (&form, &start))
    })
    .await
}

async fn part_page(
    State(viewer): SharedViewer,
    Path((name, anchor, part)): Path<(String, String, String)>,
    Query(form): Query<pages::Form>,
    Query(start): Query<Start>,
) -> Result<Html<String>, Problem> {
    let reference = parsed(&name).map_err(|_| Problem::NoPage)?;
    let part = MessagePart::parse(&part).ok_or(Problem::NoPage)?;
    drawn(&viewer, move |viewer| {
        message::page(viewer, reference, &anchor, Some(part), (&form, &start))
    })
    .await
}

async fn raw_record(
    State(viewer): SharedViewer,
    Path((name, anchor)): Path<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    let reference = parsed(&name)?;
    let record = apart(&viewer, move |viewer| {
        message::raw(viewer, reference, &anchor)
    });
    // As text: a record may hold whole pages of HTML.
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], record.await?))
}
