// Opens the site, crawls it through the real command, kills it as often as told, and compares what it wrote with what is on the site.
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openSite, PASSWORD } from './server.ts'
import { itemsOf } from './site.ts'

/** What came of it. */
export interface CheckedLogin {
  readonly found: number
  readonly logins: number
  /** Processes that were killed. */
  readonly kills: number
  /** In words, at most four. Empty when all is well. */
  readonly differences: readonly string[]
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The site is ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--max-time', '40s']

/** Crawls it. `killsAt`: numbers of requests at which the command gets a SIGKILL, to be run again. `built` runs the packages as they are published. */
export async function crawlMembers({
  killsAt = [],
  built = false,
}: { readonly killsAt?: readonly number[]; readonly built?: boolean } = {}): Promise<CheckedLogin> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-login-'))
  let kill = (): void => {}
  const open = await openSite({ onRequest: (number) => killsAt.includes(number) && kill() })
  const { origin, site } = open
  let kills = 0
  try {
    let said = ''
    let exitCode: number | null = null
    for (let isKilled = true; isKilled;) {
      const files = [`${import.meta.dirname}/spider.ts`, '--config', `${import.meta.dirname}/avocet.config.ts`]
      const words = [COMMAND, 'crawl', ...files, '-a', `site=${origin}`, '-O', 'items.jsonl', ...HURRY]
      const env = { ...process.env, MEMBERS_PASSWORD: PASSWORD }
      const conditions = built ? [] : ['--conditions=@avocet/source']
      const child = spawn(process.execPath, [...conditions, ...words], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
      kill = () => void child.kill('SIGKILL')
      const over = new Promise<NodeJS.Signals | null>((resolve) => {
        child.once('close', (code, signal) => {
          exitCode = code
          resolve(signal)
        })
      })
      said = await text(child.stderr)
      isKilled = (await over) === 'SIGKILL'
      if (isKilled) kills++
    }
    const written = (await readFile(join(folder, 'items.jsonl'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
    const failed = exitCode === 0 ? [] : [said.trim().split('\n').slice(-3).join(' / ')]
    const leaks = await filesWith(PASSWORD, folder)
    return { found: written.length, logins: site.logins, kills, differences: [...differencesOf(written), ...failed, ...leaks] }
  } finally {
    await open.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Each item is there once, and nothing else is. */
function differencesOf(written: readonly string[]): readonly string[] {
  const left = [...written]
  const missing = itemsOf('ann').flatMap((item) => {
    const at = left.indexOf(JSON.stringify(item))
    if (at !== -1) left.splice(at, 1)
    return at === -1 ? [`missing: ${JSON.stringify(item)}`] : []
  })
  return [...missing.slice(0, 2), ...left.slice(0, 2).map((line) => `unexpected: ${line}`)]
}

/** A secret is in no file that a crawl leaves. */
async function filesWith(secret: string, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(join(entry.parentPath, entry.name))
    const forms = [secret, encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
    if (forms.some((form) => bytes.includes(form))) found.push(`the password is in ${entry.name}`)
  }
  return found
}
