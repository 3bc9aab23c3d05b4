// What is found out about a login without logging in: whether its cookies are kept, and whether the environment has what the source reads from it.
import { basename } from 'node:path'
import type { Plugin, Spider } from '@avocet/core'
import { finding, findings, type Finding } from './finding.ts'
import { sourcesFrom } from './sources.ts'

/** `process.env.NAME`, `process.env['NAME']`. */
const READ = /\bprocess\.env(?:\.([A-Za-z_]\w*)|\[\s*(['"`])([^'"`$]+)\2\s*\])/g
/** `const { NAME = '', OTHER: mine } = process.env`. */
const TAKEN = /\{([^{}]*)\}\s*=\s*process\.env\b(?!\s*[.[])/g

/** What it is judged by. */
interface LoginSeen {
  readonly spider: Spider
  readonly plugins: readonly Pick<Plugin, 'name'>[]
  /** The spider's file. */
  readonly path: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** No finding where the spider does not log in. */
export async function loginFindings({ spider, plugins, path, env }: LoginSeen): Promise<readonly Finding[]> {
  if (spider.login === undefined) return []
  const keepsCookies = plugins.some(({ name }) => /cookie/i.test(name))
  const jar = `spider ${spider.name} logs in, and no plugin keeps cookies: add cookies() of @avocet/plugin-cookies to plugins`
  const missing = path === undefined ? [] : (await namesRead(path)).filter(({ name }) => (env[name] ?? '') === '')
  const unset = missing.map(({ name, file }) => `the environment variable ${name}, which ${file} reads, is not set; set it`)
  const all = [...findings('login', 'warn', unset), ...(keepsCookies ? [] : [finding('login', 'fail', jar)])]
  return all.length === 0 ? [finding('login', 'ok', 'not tried; its cookies are kept')] : all
}

async function namesRead(path: string): Promise<readonly { readonly name: string; readonly file: string }[]> {
  const read = new Map<string, string>()
  for (const { file, code } of await sourcesFrom(path)) {
    const single = [...code.matchAll(READ)].map(([, plain, , quoted]) => plain ?? quoted ?? '')
    const taken = [...code.matchAll(TAKEN)].flatMap(([, names = '']) =>
      names.split(',').map((each) => each.split(/[:=]/, 1)[0] ?? ''),
    )
    for (const name of [...single, ...taken].map((each) => each.trim()))
      if (/^\w+$/.test(name) && !read.has(name)) read.set(name, basename(file))
  }
  return [...read].map(([name, file]) => ({ name, file }))
}
