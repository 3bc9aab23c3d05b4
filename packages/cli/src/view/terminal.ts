// The terminal that the view is drawn on: whether this process may use it, and the keyboard that it mutes meanwhile.
import { execFileSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { ReadStream } from 'node:tty'

// Keeps what is typed from landing in the live block: the terminal echoes nothing, the keys that send signals still do, and the view gets the others.
//
// Raw mode takes these keys from the terminal, so they are sent on from here, to the whole process group as the terminal would. Node gives
// the terminal its old mode back however the process ends, but for SIGKILL, SIGQUIT and a stop.

/** A keyboard, where there is one. */
export type Keyboard = Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>> & NodeJS.ReadableStream

/** Control-C, Control-\ and Control-Z, unless the user has told the terminal otherwise (termios(3): VINTR, VQUIT, VSUSP). */
const SIGNALS = { 0x03: 'SIGINT', 0x1c: 'SIGQUIT', 0x1a: 'SIGTSTP' } as const satisfies Record<number, NodeJS.Signals>

/** What a muted keyboard does. */
interface KeyboardUse {
  /** Called before the process is stopped: what is on the screen is the shell's from now on. */
  suspends?(): void
  /** Called with what else is typed. */
  typed?(text: string): void
  /** Sends a signal; default: to the process group. */
  send?(signal: NodeJS.Signals): void
}

/**
 * Mutes the keyboard until disposed: the one behind `stdin`, or that of the controlling terminal when `stdin` is something else, for what is
 * typed while seeds come from a pipe is echoed all the same. Without a terminal, and on Windows, which knows no process groups, nothing is done, and there
 * is nothing to dispose.
 */
export function muteKeyboard(
  stdin: Keyboard,
  { suspends, typed: hear, send = toGroup }: KeyboardUse = {},
): Disposable | undefined {
  const keyboard = stdin.isTTY === true ? stdin : terminal()
  const setRawMode = keyboard?.setRawMode?.bind(keyboard)
  if (!keyboard?.readable || setRawMode === undefined || process.platform === 'win32') return undefined
  const giveBack = (): void => {
    keyboard.off('data', typed)
    keyboard.pause()
    setRawMode(false)
    if (keyboard instanceof ReadStream && keyboard !== stdin) keyboard.destroy()
  }
  const decoder = new StringDecoder()
  const typed = (keys: Buffer | string): void => {
    const bytes = Buffer.from(keys)
    hear?.(decoder.write(bytes.filter((key) => !(key in SIGNALS))))
    for (const key of bytes) {
      const signal = SIGNALS[key as keyof typeof SIGNALS]
      if (signal === undefined) continue
      // Neither may find the terminal mute: after a stop the shell has it, after SIGQUIT nobody tidies up.
      if (signal !== 'SIGINT') giveBack()
      if (signal === 'SIGTSTP') suspends?.()
      send(signal)
    }
  }
  setRawMode(true)
  keyboard.on('data', typed)
  keyboard.resume()
  return { [Symbol.dispose]: giveBack }
}

/** The one that controls this process. */
function terminal(): ReadStream | undefined {
  try {
    return new ReadStream(openSync('/dev/tty', 'r'))
  } catch {
    return undefined
  }
}

function toGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal)
}

// Whether this process may use its terminal: a job in the background that draws over the shell, or changes the terminal, is a nuisance, and
// is stopped by the system for the latter (SIGTTOU).

/** True also where nobody can tell, and where no terminal controls this process. */
export function isInForeground(): boolean {
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
  return execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8', timeout: 1_000 }).includes('+')
}
