// The jars at rest: that of a host in its memory, those of named sessions in the memory of the crawl.
import { rewound } from '@avocet/core'
import { isOlder, isSameCookie, type Cookie } from './cookie.ts'
import { trimmed } from './jar.ts'

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

/** The same of all sessions: each has an equal share at least, so that none loses its cookies to another. */
export function trimSessions(jars: SessionJars, now: number): void {
  const names = Object.keys(jars.sessions)
  const size = (name: string): number => JSON.stringify(jars.sessions[name]).length + name.length + 4
  const isFull = names.reduce((sum, name) => sum + size(name), 0) > MAX_CHARACTERS
  for (const name of names) {
    const maxCharacters = isFull ? Math.floor(MAX_CHARACTERS / names.length) - name.length - 4 : MAX_CHARACTERS
    const kept = trimmed(jars.sessions[name] ?? [], { now, maxCharacters })
    if (kept.length > 0) jars.sessions[name] = kept
    else delete jars.sessions[name]
  }
}

/** What two processes know: of each cookie what was set last. */
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
  return all
}

/** A jar that a clock wrote which was ahead by `byMs`. */
export function rewoundJar(jar: readonly Cookie[], byMs: number): Cookie[] {
  return jar.map(({ expires, ...cookie }) => ({
    ...cookie,
    ...(expires !== undefined && { expires: rewound(expires, byMs) }),
    created: rewound(cookie.created, byMs),
    used: rewound(cookie.used, byMs),
    at: rewound(cookie.at, byMs),
  }))
}
