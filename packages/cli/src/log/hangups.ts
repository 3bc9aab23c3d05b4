// SIGHUP for a command with a log file: a rotation sends it so that the file is opened anew, a terminal sends it as it closes.
//
// The two are told apart by the terminal: one that is closed cannot be opened any more (tty(4): /dev/tty of a process without one). A command that began in
// a terminal ends with it, as it does without a log; one that has a terminal still, or never had one, reopens its file.
import { closeSync, openSync } from 'node:fs'

/** Where a hangup is heard, and how the terminal is looked for. */
export interface Hangups {
  readonly process: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'platform'>
  hasTerminal(): boolean
}

const REAL: Hangups = { process, hasTerminal }

/** Calls `reopen` for each SIGHUP that is no end of the terminal, until disposed. Windows sends it only as a console closes: there it ends the command. */
export function onHangups(reopen: () => void, { process: own, hasTerminal: has }: Hangups = REAL): Disposable | undefined {
  if (own.platform === 'win32') return undefined
  const had = has()
  const stop = (): unknown => own.off('SIGHUP', heard)
  const heard = (): void => {
    if (!had || has()) return reopen()
    // Nobody hears it any more: the system ends this process, as it would have.
    stop()
    own.kill(own.pid, 'SIGHUP')
  }
  own.on('SIGHUP', heard)
  return { [Symbol.dispose]: stop }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
