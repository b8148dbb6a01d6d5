//! The terminal: taken when the browser opens, given back whatever happens.

mod keyboard;
mod signals;

use std::io::{self, BufWriter, Stdout, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

pub(crate) use keyboard::Keyboard;
pub(crate) use signals::{listen, stop_process};

use crate::message::MainMessage;

/// True if the terminal is ours at the moment. There is only one, and a panic in whatever thread
/// must give it back.
static IS_OURS: AtomicBool = AtomicBool::new(false);

/// Buttons and the wheel; not each movement, which costs.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const GIVE_MOUSE: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// A canvas on anything that takes bytes.
pub(crate) struct Canvas<W: Write> {
    terminal: Terminal<CrosstermBackend<W>>,
    size: (u16, u16),
    /// True if a frame was begun: the terminal shows nothing of it before its end.
    is_begun: bool,
}

impl<W: Write> Canvas<W> {
    pub(crate) fn new(out: W, size: (u16, u16)) -> io::Result<Self> {
        let viewport = Viewport::Fixed(Rect::new(0, 0, size.0, size.1));
        let options = TerminalOptions { viewport };
        let terminal = Terminal::with_options(CrosstermBackend::new(out), options)?;
        Ok(Self {
            terminal,
            size,
            is_begun: false,
        })
    }

    /// Draws a frame at once: a terminal that knows how shows all of it or nothing.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.begin()?;
        self.terminal.draw(draw)?;
        self.is_begun = false;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        io::Write::flush(self.terminal.backend_mut())
    }

    fn begin(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true) {
            queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        }
        Ok(())
    }

    /// Fits the canvas to another size.
    pub(crate) fn resize(&mut self, size: (u16, u16)) -> io::Result<()> {
        self.size = size;
        self.clear()
    }

    /// Forgets what was drawn: the empty screen is never seen, since it is a part of the next frame.
    /// The terminal's own `clear` asks where the cursor is, and the answer comes in among the keys.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.begin()?;
        let (columns, rows) = self.size;
        self.terminal.resize(Rect::new(0, 0, columns, rows))
    }

    /// The writer that takes the bytes.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        self.terminal.backend_mut()
    }
}

type PanicHook = Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// The terminal of the process.
pub(crate) struct Screen {
    pub(crate) canvas: Canvas<BufWriter<Stdout>>,
    has_mouse: bool,
    before: Option<PanicHook>,
}

impl Screen {
    /// Takes the terminal. A panic gives it back and tells `messages`.
    pub(crate) fn take(messages: Sender<MainMessage>) -> io::Result<Self> {
        let size = crossterm::terminal::size()?;
        let before: PanicHook = panic::take_hook().into();
        let then = Arc::clone(&before);
        panic::set_hook(Box::new(move |info| {
            give_back();
            then(info);
            let _ = messages.send(MainMessage::Died);
        }));
        let mut screen = Self {
            canvas: Canvas::new(BufWriter::with_capacity(32 << 10, io::stdout()), size)?,
            has_mouse: true,
            before: Some(before),
        };
        screen.enter()?;
        Ok(screen)
    }

    /// Takes the terminal (again).
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        IS_OURS.store(true, Ordering::SeqCst);
        let out = self.canvas.out();
        execute!(
            out,
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
        if self.has_mouse {
            out.write_all(TAKE_MOUSE)?;
        }
        out.flush()?;
        self.canvas.clear()
    }

    /// Gives the terminal back.
    pub(crate) fn leave() {
        give_back();
    }

    /// True if the terminal is ours.
    pub(crate) fn is_ours() -> bool {
        IS_OURS.load(Ordering::SeqCst)
    }

    /// Takes the mouse or gives it to the terminal.
    pub(crate) fn set_mouse(&mut self, is_ours: bool) -> io::Result<()> {
        self.has_mouse = is_ours;
        let out = self.canvas.out();
        out.write_all(if is_ours { TAKE_MOUSE } else { GIVE_MOUSE })?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
        if let (Some(before), false) = (self.before.take(), std::thread::panicking()) {
            panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}

/// Makes the terminal what it was. Nothing can be done about errors: it is gone then.
fn give_back() {
    if !IS_OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(GIVE_MOUSE);
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}
