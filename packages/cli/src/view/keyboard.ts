// Keeps what is typed from landing in the live block: the terminal echoes nothing, and the keys that send signals still do.
//
// Raw mode takes these keys from the terminal, so they are sent on from here, to the whole process group as the terminal would. Node gives
// the terminal its old mode back however the process ends, but for SIGKILL, SIGQUIT and a stop.
import type { ReadStream } from 'node:tty'

/** A keyboard, where there is one. */
export type Keyboard = Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>> & NodeJS.ReadableStream

/** Control-C, Control-\ and Control-Z, unless the user has told the terminal otherwise (termios(3): VINTR, VQUIT, VSUSP). */
const SIGNALS = { 0x03: 'SIGINT', 0x1c: 'SIGQUIT', 0x1a: 'SIGTSTP' } as const satisfies Record<number, NodeJS.Signals>

/** What a muted keyboard does. */
export interface KeyboardUse {
  /** Called before the process is stopped: what is on the screen is the shell's from now on. */
  suspends?(): void
  /** Sends a signal; default: to the process group. */
  send?(signal: NodeJS.Signals): void
}

/** Mutes `keyboard` until disposed. Without a terminal, and on Windows, which knows no process groups, nothing is done. */
export function muteKeyboard(keyboard: Keyboard, { suspends, send = toGroup }: KeyboardUse = {}): Disposable {
  const setRawMode = keyboard.setRawMode?.bind(keyboard)
  if (keyboard.isTTY !== true || !keyboard.readable || setRawMode === undefined || process.platform === 'win32')
    return { [Symbol.dispose]: () => undefined }
  const typed = (keys: Buffer | string): void => {
    for (const key of Buffer.from(keys)) {
      const signal = SIGNALS[key as keyof typeof SIGNALS]
      if (signal === undefined) continue
      // Neither may find the terminal mute: after a stop the shell has it, after SIGQUIT nobody tidies up.
      if (signal !== 'SIGINT') setRawMode(false)
      if (signal === 'SIGTSTP') suspends?.()
      send(signal)
    }
  }
  setRawMode(true)
  keyboard.on('data', typed)
  keyboard.resume()
  return {
    [Symbol.dispose]() {
      keyboard.off('data', typed)
      keyboard.pause()
      setRawMode(false)
    },
  }
}

function toGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal)
}
