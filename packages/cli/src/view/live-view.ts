// Shows a running crawl on stderr: one block that is drawn over itself on a terminal, one line every 30 s elsewhere and in the background.
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { messageOf, type Clock } from '@avocet/core/store'
import { draw, type Block, type ProcessEvents } from '@avocet/project/place'
import { columnsOf, fold, screenColumns, type Paint } from '@avocet/project/text'
import { readFileSync } from 'node:fs'
import { frame, progressLine, roomFor } from './frame.ts'
import type { Scene } from './scene.ts'

/** 4 Hz: smooth to the eye, nothing to the processor. */
const DRAW_MS = 250
const LINE_MS = 30_000
/** How often a job in the background looks whether it has been brought back: shells send no signal to one that runs. */
const LOOK_MS = 2_000
/** Of a terminal that does not say. */
const DEFAULT_ROWS = 24

/** ECMA-48 EL and ED: from the cursor to the end of the line, and of the screen. */
const ERASE_LINE = '\u001b[K'
const ERASE_BELOW = '\u001b[0J'

/** Where a view shows. */
export interface ViewPlace {
  readonly stderr: Pick<WriteStream, 'write'> &
    Partial<Pick<WriteStream, 'columns' | 'rows' | 'isTTY'>> & {
      on?(event: 'resize', listener: () => void): unknown
      off?(event: 'resize', listener: () => void): unknown
    }
  readonly clock: Clock
  readonly paint: Paint
  /** Default: asks the system. */
  readonly foreground?: () => boolean
  readonly events?: ProcessEvents
  /** `TERM`, and `CI`. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Gives the crawl as it is, with at most `room` of its hosts. Without room: for one line, which says of no host what it is like. */
export type Look = (room?: number) => Scene

/** The view. Every other line for stderr goes through `say`, so that it never lands inside the block. */
export class LiveView {
  readonly #place: ViewPlace
  #look: Look | undefined
  #timer: Disposable | undefined
  /** Whether there is a block: a terminal, and we are in its foreground. */
  #draws = false
  /** Epoch ms of the next line, where there is no block. */
  #lineAt = 0
  /** Widths of the lines on the screen, to know how many rows they take after a resize. */
  #drawn: readonly number[] = []
  /** The one that was drawn last: how many lines its totals take. */
  #scene: Scene | undefined

  constructor(place: ViewPlace) {
    this.#place = place
  }

  /** Begins to show what `look` sees. */
  start(look: Look): void {
    this.#look = look
    look()
    this.#place.stderr.on?.('resize', this.#redraw)
    this.#place.events?.on('SIGCONT', this.#goOn)
    this.#goOn()
  }

  /** Prints one line for good, folded to the width of the terminal. */
  say(line: string): void {
    const { stderr } = this.#place
    const before = this.#erase()
    this.#block(this.#lines(), { above: fold(line, screenColumns(stderr)), before, after: '' })
  }

  /** Takes the block away. */
  stop(): void {
    this.#timer?.[Symbol.dispose]()
    this.#look = undefined
    this.#place.stderr.off?.('resize', this.#redraw)
    this.#place.events?.off('SIGCONT', this.#goOn)
    const erase = this.#erase()
    if (erase !== '') draw(this.#place.stderr, { lines: [], before: erase, lineEnd: '', after: '' })
  }

  /** At the start, after a stop, and back from the background: what was drawn is the shell's now. */
  readonly #goOn = (): void => {
    this.#suspend()
    this.#draws = this.#canDraw && this.#isInForeground()
    this.#plan()
  }

  /** A terminal that obeys nothing (`TERM=dumb`) gets lines, and so does a build server that pretends to be one. */
  get #canDraw(): boolean {
    const { stderr, env = {} } = this.#place
    return stderr.isTTY === true && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === ''
  }

  /** Nothing is drawn any more, nor drawn over. */
  #suspend(): void {
    this.#timer?.[Symbol.dispose]()
    this.#drawn = []
    this.#draws = false
    this.#lineAt = this.#place.clock.now() + LINE_MS
  }

  #isInForeground(): boolean {
    const { foreground = isInForeground } = this.#place
    return foreground()
  }

  #plan(): void {
    const { clock } = this.#place
    this.#timer = clock.at(clock.now() + (this.#draws ? DRAW_MS : LOOK_MS), () => {
      if (!this.#draws && this.#canDraw && this.#isInForeground()) return this.#goOn()
      this.#show()
      if (this.#look) this.#plan()
    })
  }

  #show(): void {
    const { clock, stderr } = this.#place
    if (this.#draws) return this.#redraw()
    // Each look is one at all hosts, ten thousand in a large crawl.
    if (clock.now() < this.#lineAt) return
    this.#lineAt = clock.now() + LINE_MS
    const line = this.#safely((look) => progressLine(look()))
    // A log, also where it has the terminal of a build server: each line stays whole.
    if (line !== undefined) draw(stderr, { lines: [line], before: '', lineEnd: '\n', after: '' })
  }

  /** Line over line, so that nothing flickers; what is left below of a longer block goes. */
  readonly #redraw = (): void => {
    const lines = this.#lines()
    if (lines.length === 0) return
    const up = this.#up()
    this.#block(lines, { before: up, after: up === '' ? '' : ERASE_BELOW })
  }

  #lines(): readonly string[] {
    const { stderr, paint } = this.#place
    if (!this.#draws) return []
    const rows = stderr.rows !== undefined && stderr.rows > 0 ? stderr.rows : DEFAULT_ROWS
    const size = { columns: screenColumns(stderr), rows }
    return (
      this.#safely((look) => {
        const scene = (this.#scene = look(roomFor(size, this.#scene)))
        return frame(scene, size, paint)
      }) ?? []
    )
  }

  /** Draws the block, and remembers it so that it can be drawn over. */
  #block(lines: readonly string[], around: Omit<Block, 'lines' | 'lineEnd'>): void {
    this.#drawn = lines.map((line) => columnsOf(stripVTControlCharacters(line)))
    draw(this.#place.stderr, { ...around, lines, lineEnd: `${ERASE_LINE}\n` })
  }

  /** A crawl of weeks must not end because it could not be shown: a plugin may have said what is no text. */
  #safely<Shown>(show: (look: Look) => Shown): Shown | undefined {
    if (!this.#look) return undefined
    try {
      return show(this.#look)
    } catch (error) {
      this.stop()
      this.say(`the live view ends here, the crawl continues: ${messageOf(error)}`)
      return undefined
    }
  }

  #erase(): string {
    const up = this.#up()
    return up === '' ? '' : `${up}${ERASE_BELOW}`
  }

  /** Cursor to the block's first row (ECMA-48 CPL). A narrowed terminal has folded its lines. */
  #up(): string {
    const width = screenColumns(this.#place.stderr)
    const rows = this.#drawn.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / width)), 0)
    this.#drawn = []
    return rows === 0 ? '' : `\u001b[${rows}F`
  }
}

// Whether this process may use its terminal: a job in the background that draws over the shell is a nuisance.

/** True also where nobody can tell, and where no terminal controls this process. */
function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  try {
    return process.platform === 'linux' ? isLeading(readFileSync('/proc/self/stat', 'utf8')) : isMarked()
  } catch {
    return true
  }
}

/**
 * Whether a text of /proc/PID/stat is of a process in the foreground. Fields 5 and 8 of proc_pid_stat(5): its process group, and the one in the
 * foreground; -1 = no terminal. The name before them may hold anything.
 */
export function isLeading(stat: string): boolean {
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return foreground === '-1' || group === foreground
}

/** A plus in the state of ps(1), as on BSD and macOS. */
function isMarked(): boolean {
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  return execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8', timeout: 1_000 }).includes('+')
}
