// The jars at rest: that of a host in its memory, those of named sessions in the memory of the crawl.
import { isOlder, isSameCookie, trimmed, type Cookie } from './jar.ts'

/** Of a memory of 64 KiB; no server takes a header of half that. */
const MAX_CHARACTERS = 48 * 1024

/** Of one host: of the session that has no name. */
export interface HostJar {
  cookies: Cookie[]
}

/** Of the crawl: by name of the session. */
export interface SessionJars {
  sessions: Record<string, Cookie[]>
}

/** The jar of a session, which may have any name: also `constructor`, or `__proto__`. */
export function jarOf({ sessions }: SessionJars, name: string): Cookie[] | undefined {
  return Object.hasOwn(sessions, name) ? sessions[name] : undefined
}

/** Gives a session its jar, as a property of its own, whatever its name. */
export function setJar({ sessions }: SessionJars, name: string, jar: Cookie[]): Cookie[] {
  Object.defineProperty(sessions, name, { value: jar, writable: true, enumerable: true, configurable: true })
  return jar
}

/** Throws away what is too much of a host's jar. */
export function trimHost(jar: HostJar, now: number): void {
  jar.cookies = trimmed(jar.cookies, { now, maxCharacters: MAX_CHARACTERS })
}

/**
 * The same of all sessions: each has an equal share at least, and of what others leave, so that none loses its cookies to another. Of so many that a share has
 * no room for a cookie, those lose all that were used longest ago. Whether some did.
 */
export function trimSessions(jars: SessionJars, now: number): boolean {
  const names = Object.keys(jars.sessions)
  for (const name of names) put(jars, name, trimmed(jars.sessions[name] ?? [], { now, maxCharacters: MAX_CHARACTERS }))
  const sized = Object.entries(jars.sessions).map(([name, jar]) => sizedJar(name, jar))
  if (sumOf(sized) <= MAX_CHARACTERS) return false
  const byUse = sized.toSorted((a, b) => b.used - a.used)
  const count = mostWithCookies(byUse)
  const share = shareOf(byUse.slice(0, count))
  byUse.forEach(({ name, jar }, at) => {
    const maxCharacters = at < count ? share - overhead(name) : 0
    put(jars, name, maxCharacters > 0 ? trimmed(jar, { now, maxCharacters }) : [])
  })
  return count < byUse.length
}

function put(jars: SessionJars, name: string, jar: Cookie[]): void {
  if (jar.length > 0) setJar(jars, name, jar)
  else delete jars.sessions[name]
}

/** A jar of a session, and its characters as JSON. */
interface SizedJar {
  readonly name: string
  readonly jar: readonly Cookie[]
  readonly size: number
  /** With its smallest cookie alone; 0 of one that has only notes. */
  readonly least: number
  /** Epoch ms at which one was last sent or set. */
  readonly used: number
}

function sizedJar(name: string, jar: readonly Cookie[]): SizedJar {
  const sizes = jar.filter(({ gone }) => gone !== true).map((cookie) => JSON.stringify(cookie).length + 3)
  return {
    ...{ name, jar, size: JSON.stringify(jar).length + overhead(name) },
    least: sizes.length === 0 ? 0 : Math.min(...sizes) + overhead(name),
    used: Math.max(...jar.map(({ used, at }) => Math.max(used, at)), 0),
  }
}

/** Name, quotes, colon and comma. */
function overhead(name: string): number {
  return name.length + 4
}

function sumOf(jars: readonly SizedJar[]): number {
  return jars.reduce((sum, { size }) => sum + size, 0)
}

/** How many of the first can have a cookie each. */
function mostWithCookies(jars: readonly SizedJar[]): number {
  let [fit, tooMany] = [0, jars.length + 1]
  while (tooMany - fit > 1) {
    const count = (fit + tooMany) >> 1
    const some = jars.slice(0, count)
    const share = shareOf(some)
    if (some.every(({ least }) => least <= share)) fit = count
    else tooMany = count
  }
  return fit
}

/** The most that each can have: what small jars leave goes to large ones. */
function shareOf(jars: readonly SizedJar[]): number {
  let left = MAX_CHARACTERS
  let count = jars.length
  for (const size of jars.map((jar) => jar.size).toSorted((a, b) => a - b)) {
    if (size > left / count) return Math.floor(left / count)
    left -= size
    count--
  }
  return MAX_CHARACTERS
}

/** What two processes know: of each cookie what was set last, as much as there is room for. */
export function merged(a: SessionJars, b: SessionJars): SessionJars {
  const all: SessionJars = { sessions: {} }
  for (const name of [...new Set([...Object.keys(a.sessions), ...Object.keys(b.sessions)])].toSorted()) {
    const jar = [...(jarOf(a, name) ?? [])]
    for (const cookie of jarOf(b, name) ?? []) {
      const at = jar.findIndex((other) => isSameCookie(other, cookie))
      const mine = jar[at]
      if (mine === undefined) jar.push(cookie)
      else if (isOlder(mine, cookie)) jar[at] = cookie
    }
    setJar(all, name, jar)
  }
  // What has expired goes with the next cookie.
  trimSessions(all, 0)
  return all
}
