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
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gemtrail_core::model::{Place, SessionRef};
use gemtrail_export::html::MessagePart;
use gemtrail_store::{Address, Named, ResolveError};
use maud::Markup;

use crate::assets::Asset;
use crate::body::streamed;
use crate::guard::{Guard, Pass, Refusal};
use crate::headers::sealed;
use crate::links;
use crate::pages::pager::Start;
use crate::pages::problem::Problem;
use crate::pages::{
    self, doctor, download, message, overview, problem, projects, search, session, sessions, tail,
};
use crate::viewer::Viewer;

type Shared = State<Arc<Viewer>>;

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
        .route("/search", get(search_page))
        .route("/projects", get(projects_page))
        .route("/doctor", get(doctor_page))
        .route("/assets/{file}", get(asset))
        .fallback(async || problem::page(&Problem::NoPage))
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
            let mut response = problem::page(&Problem::Refused(refusal));
            if refusal == Refusal::Method {
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

fn page(markup: Markup) -> Response {
    axum::response::Html(markup.into_string()).into_response()
}

/// Runs work that reads files on a thread of its own, when it is its turn.
async fn apart<T: Send + 'static>(
    viewer: &Arc<Viewer>,
    work: impl FnOnce(&Arc<Viewer>) -> T + Send + 'static,
) -> Result<T, Response> {
    let viewer = Arc::clone(viewer);
    let turn = viewer.turns.next().await;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&viewer)
    });
    let done = done.await;
    done.map_err(|_| problem::page(&Problem::Broken("the page could not be made".to_owned())))
}

/// The same for what may find nothing.
async fn tried(
    viewer: &Arc<Viewer>,
    work: impl FnOnce(&Arc<Viewer>) -> Result<Markup, Problem> + Send + 'static,
) -> Response {
    match apart(viewer, work).await {
        Ok(Ok(markup)) => page(markup),
        Ok(Err(problem)) => problem::page(&problem),
        Err(response) => response,
    }
}

async fn overview_page(State(viewer): Shared, Query(period): Query<overview::Period>) -> Response {
    tried(&viewer, move |viewer| overview::page(viewer, &period)).await
}

async fn sessions_page(State(viewer): Shared, Query(wanted): Query<sessions::Wanted>) -> Response {
    tried(&viewer, move |viewer| sessions::page(viewer, &wanted)).await
}

async fn search_page(State(viewer): Shared, Query(wanted): Query<search::Wanted>) -> Response {
    tried(&viewer, move |viewer| Ok(search::page(viewer, &wanted))).await
}

async fn projects_page(State(viewer): Shared) -> Response {
    tried(&viewer, |viewer| Ok(projects::page(viewer))).await
}

async fn doctor_page(State(viewer): Shared) -> Response {
    tried(&viewer, doctor::page).await
}

async fn asset(uri: Uri) -> Response {
    let asset = Asset::at(uri.path()).map(Asset::response);
    asset.unwrap_or_else(|| problem::page(&Problem::NoPage))
}

/// The session that an address names, or a page that says why there is none.
async fn named(viewer: &Arc<Viewer>, name: &str) -> Result<SessionRef, Response> {
    let wanted = name.to_owned();
    let found = apart(viewer, move |viewer| {
        if let Ok(reference) = wanted.parse::<SessionRef>()
            && viewer.row(reference).is_some()
        {
            return Ok(reference);
        }
        // Names of files are not looked at: a request must not tell what is on disk.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '@';
        if !wanted.chars().all(is_plain) {
            return Err(Problem::NoSession);
        }
        match viewer.trail.view().resolve(&wanted) {
            Ok(Named::Session(reference)) => Ok(reference),
            Err(ResolveError::Ambiguous { .. }) => Err(Problem::Ambiguous(wanted)),
            _ => Err(Problem::NoSession),
        }
    })
    .await?;
    found.map_err(|problem| problem::page(&problem))
}

/// A session, or a place in it: `REF:17.5`. Other names than the reference lead to the address that
/// stays.
async fn session_page(
    State(viewer): Shared,
    Path(name): Path<String>,
    Query(start): Query<Start>,
) -> Response {
    let address = Address::parse(&name);
    let reference = match named(&viewer, &address.name).await {
        Ok(reference) => reference,
        Err(response) => return response,
    };
    if let Some(place) = address.place {
        return place_in(&viewer, reference, place).await;
    }
    let index = start.index();
    if reference.as_str() != name {
        return redirect(&links::page(reference, index));
    }
    let turn = viewer.turns.next_to_send().await;
    let body = streamed(turn, move |out| {
        session::write(&viewer, reference, index.unwrap_or_default(), out)
    });
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response()
}

/// Leads to what is at a place.
async fn place_in(viewer: &Arc<Viewer>, reference: SessionRef, place: Place) -> Response {
    let address = apart(viewer, move |viewer| {
        message::address_of(viewer, reference, place)
    });
    match address.await {
        Ok(Ok(address)) => redirect(&address),
        Ok(Err(problem)) => problem::page(&problem),
        Err(response) => response,
    }
}

async fn live(
    State(viewer): Shared,
    Path(name): Path<String>,
    Query(seen): Query<tail::Seen>,
    headers: HeaderMap,
) -> Response {
    let Ok(reference) = name.parse::<SessionRef>() else {
        return problem::page(&Problem::NoSession);
    };
    let tag = viewer.versions.tag(viewer.versions.of(reference));
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let mut response = if known == Some(tag.as_str()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        tried(&viewer, move |viewer| tail::news(viewer, reference, &seen)).await
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

async fn colours(
    State(viewer): Shared,
    Path(name): Path<String>,
    Query(start): Query<Start>,
) -> Response {
    let Ok(reference) = name.parse::<SessionRef>() else {
        return problem::page(&Problem::NoSession);
    };
    let index = start.index().unwrap_or_default();
    let style = apart(&viewer, move |viewer| {
        session::colours(viewer, reference, index)
    });
    match style.await {
        Ok(Ok(style)) => ([(CONTENT_TYPE, "text/css; charset=utf-8")], style).into_response(),
        Ok(Err(problem)) => problem::page(&problem),
        Err(response) => response,
    }
}

async fn download_file(
    State(viewer): Shared,
    Path((name, format)): Path<(String, String)>,
    Query(wanted): Query<download::Wanted>,
) -> Response {
    let Ok(reference) = name.parse::<SessionRef>() else {
        return problem::page(&Problem::NoSession);
    };
    let file = apart(&viewer, move |viewer| {
        download::file(viewer, reference, &format, &wanted)
    });
    match file.await {
        Ok(Ok(file)) => {
            let disposition = format!("attachment; filename=\"{}\"", file.name);
            let headers = [
                (CONTENT_TYPE, file.kind.to_owned()),
                (CONTENT_DISPOSITION, disposition),
            ];
            (headers, file.bytes).into_response()
        }
        Ok(Err(problem)) => problem::page(&problem),
        Err(response) => response,
    }
}

async fn message_page(
    State(viewer): Shared,
    Path((name, anchor)): Path<(String, String)>,
    Query(form): Query<pages::Form>,
    Query(start): Query<Start>,
) -> Response {
    let Ok(reference) = name.parse::<SessionRef>() else {
        return problem::page(&Problem::NoSession);
    };
    tried(&viewer, move |viewer| {
        message::page(viewer, reference, &anchor, None, (&form, &start))
    })
    .await
}

async fn part_page(
    State(viewer): Shared,
    Path((name, anchor, part)): Path<(String, String, String)>,
    Query(form): Query<pages::Form>,
    Query(start): Query<Start>,
) -> Response {
    let (Ok(reference), Some(part)) = (name.parse::<SessionRef>(), MessagePart::parse(&part))
    else {
        return problem::page(&Problem::NoPage);
    };
    tried(&viewer, move |viewer| {
        message::page(viewer, reference, &anchor, Some(part), (&form, &start))
    })
    .await
}

async fn raw_record(
    State(viewer): Shared,
    Path((name, anchor)): Path<(String, String)>,
) -> Response {
    let Ok(reference) = name.parse::<SessionRef>() else {
        return problem::page(&Problem::NoSession);
    };
    let record = apart(&viewer, move |viewer| {
        message::raw(viewer, reference, &anchor)
    });
    match record.await {
        // As text: a record may hold whole pages of HTML.
        Ok(Ok(record)) => ([(CONTENT_TYPE, "text/plain; charset=utf-8")], record).into_response(),
        Ok(Err(problem)) => problem::page(&problem),
        Err(response) => response,
    }
}
