// The site that the example logs in to: a form with a hidden token, a session that ends after 50 pages, and a page with status 200 that says so.
//
// Pure: from a request to an answer, with what the site remembers. `main.ts` serves it, and tests ask it without a socket.

/** Pages for members. */
export const PAGES = 240
/** A session ends after so many. */
const PAGES_A_SESSION = 50

/** What the site is asked. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly cookie?: string | undefined
  readonly body?: string | undefined
}

/** What it answers. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The site, and what it felt. */
export class LoginSite {
  readonly users: ReadonlyMap<string, string>
  /** Sessions by their cookie: whose they are, and how many pages are left. */
  readonly #sessions = new Map<string, { readonly user: string; left: number }>()
  readonly #tokens = new Set<string>()
  #last = 0
  logins = 0
  failedLogins = 0
  formsSeen = 0
  loggedOutPages = 0

  constructor(users: Readonly<Record<string, string>>) {
    this.users = new Map(Object.entries(users))
  }

  answer({ method, path, cookie = '', body = '' }: Asked): Answered {
    const cookies = new Map(cookie.split('; ').map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]))
    if (path === '/login') return method === 'POST' ? this.#logIn(cookies, new URLSearchParams(body)) : this.#form()
    const session = this.#sessions.get(cookies.get('sid') ?? '')
    if (session === undefined || session.left === 0) {
      this.loggedOutPages++
      return page('<p class="logged-out">Please <a href="/login">log in</a>.</p>')
    }
    session.left--
    return memberPage(path, session.user)
  }

  #form(): Answered {
    this.formsSeen++
    const token = `t${++this.#last}`
    this.#tokens.add(token)
    const form = `<form id="login" method="post" action="/login"><input type="hidden" name="token" value="${token}">
<input name="user"><input type="password" name="password"><label><input type="checkbox" name="keep" checked> Stay</label><button>Log in</button></form>`
    return page(`<p class="logged-out">Members only</p>${form}`, { 'set-cookie': `form=${token}; Path=/login; HttpOnly` })
  }

  #logIn(cookies: ReadonlyMap<string, string>, form: URLSearchParams): Answered {
    const token = form.get('token') ?? ''
    const user = form.get('user') ?? ''
    const isRight = this.#tokens.delete(token) && cookies.get('form') === token && form.get('keep') === 'on'
    if (!isRight || this.users.get(user) !== form.get('password')) {
      this.failedLogins++
      return page('<p class="logged-out">Wrong. <a href="/login">Again</a></p>')
    }
    this.logins++
    const sid = `s${++this.#last}`
    this.#sessions.set(sid, { user, left: PAGES_A_SESSION })
    return {
      status: 303,
      headers: { location: '/welcome', 'set-cookie': `sid=${sid}; Path=/; HttpOnly; SameSite=Lax` },
      body: '',
    }
  }
}

/** The items that are on the site, by the name of whose session sees them. */
export function itemsOf(user: string): readonly { readonly number: number; readonly user: string }[] {
  return Array.from({ length: PAGES }, (_, n) => ({ number: n + 1, user }))
}

function memberPage(path: string, user: string): Answered {
  const number = Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? 0)
  if (number > PAGES || (number === 0 && path !== '/' && path !== '/welcome')) return { ...page('Not here'), status: 404 }
  // Ten at a time, so that the crawl has several in flight when the session ends.
  const next = Array.from({ length: 10 }, (_, n) => number * 10 + n + 1).filter((n) => n <= PAGES)
  const links = next.map((n) => `<a href="/p/${n}">${n}</a>`).join(' ')
  return page(number === 0 ? links : `<h1 data-number="${number}">Page ${number} of ${user}</h1>${links}`)
}

function page(body: string, headers: Readonly<Record<string, string>> = {}): Answered {
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: `<!doctype html><title>Members</title>${body}`,
  }
}
