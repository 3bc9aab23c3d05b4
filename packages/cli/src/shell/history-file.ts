// Where the shell remembers what was typed: in its user's home, and for its user alone, for what was typed may be a password.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = '.avocet_shell_history'
const OWNER_ONLY = 0o600

/** The file in `home`, made if need be; undefined where there can be none: a shell without a history is one, too. */
export async function historyIn(home: string): Promise<string | undefined> {
  const path = join(home, NAME)
  try {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY)
    try {
      // One that is there may be an earlier version's.
      await file.chmod(OWNER_ONLY)
      return (await file.stat()).isFile() ? path : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
