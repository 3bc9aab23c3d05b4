// Whether a file that was found, and not named, may be run: nobody but its user can have written it.
//
// Whoever changes into a folder of somebody else's and asks how a crawl is doing must not run what lies there. Root may do everything anyway. A folder
// that anybody can write is as good as the file, unless it is sticky: then nobody else can put another file in its place. Windows has no such modes.
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'

const ANYBODY_WRITES = 0o002
const STICKY = 0o1000
const ROOT = 0

/**
 * Looks at the file at `path`, at the one that it links to, and at their folders. `named`: how to run it all the same.
 *
 * @throws AVO_CONFIG_UNTRUSTED.
 */
export async function checkFound(path: string, named: string): Promise<void> {
  const user = process.geteuid?.()
  if (user === undefined) return
  const real = await realpath(path)
  for (const looked of new Set([real, dirname(path), dirname(real)])) {
    const { uid, mode } = await stat(looked)
    const what = looked === real ? 'one' : 'a folder'
    if (uid !== user && uid !== ROOT)
      throw untrusted(`${path}: expected a file of yours, got ${what} of user ${uid}; if you trust it, name the file: ${named}`)
    if ((mode & ANYBODY_WRITES) === 0 || (looked !== real && (mode & STICKY) !== 0)) continue
    throw untrusted(
      `${path}: expected a file that nobody but you can write, got ${what} that anybody can; chmod o-w ${looked}, or name the file: ${named}`,
    )
  }
}

function untrusted(problem: string): AvocetError {
  return new AvocetError('AVO_CONFIG_UNTRUSTED', problem)
}
