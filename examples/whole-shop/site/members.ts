// The part of the shop behind the login. As on many sites, who is not signed in gets a page with status 200, and sessions end without a word.
import { createHash } from 'node:crypto'
import { PRODUCTS } from './goods.ts'
import { html } from './pages.ts'

/** Who may sign in. */
const ACCOUNT: { readonly user: string; readonly password: string } = { user: 'avocet', password: 'sea & mud' }

const PER_PAGE = 6
/** After so many pages a session has ended. */
const PAGES_A_SESSION = 3

/** What is answered to a request. */
export interface MemberAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** The sessions of a running shop. */
export class Members {
  readonly #pagesLeft = new Map<string, number>()
  #visits = 0
  /** How many times somebody signed in, and was sent away for a session that had ended or never was. */
  signedIn = 0
  sentAway = 0

  /** The form, with a token that only the visitor with the cookie of this answer can use. */
  form(visit: string | undefined): MemberAnswer {
    const own = visit ?? `v${String(++this.#visits)}`
    const form = `<form class="login" method="post" action="/login"><input type="hidden" name="token" value="${tokenOf(own)}">
      <input name="user"><input name="password" type="password"></form>`
    return { status: 200, headers: { 'set-cookie': `visit=${own}; Path=/; HttpOnly` }, body: html('Sign in', form) }
  }

  /** The form again, unless everything is right. */
  signIn(visit: string | undefined, sent: URLSearchParams): MemberAnswer {
    const isRight = sent.get('user') === ACCOUNT.user && sent.get('password') === ACCOUNT.password
    if (visit === undefined || sent.get('token') !== tokenOf(visit) || !isRight) return this.form(visit)
    const session = `s${String(++this.signedIn)}`
    this.#pagesLeft.set(session, PAGES_A_SESSION)
    return { status: 303, headers: { 'set-cookie': `session=${session}; Path=/`, location: '/members/welcome' }, body: '' }
  }

  /** Where the login leads. */
  welcome(session: string | undefined): MemberAnswer {
    return this.#pagesLeft.has(session ?? '') ? { status: 200, body: html('Welcome', '<h1>Welcome</h1>') } : this.#away()
  }

  /** Page `number`, from 1, of the prices for members. */
  prices(session: string | undefined, number: number): MemberAnswer {
    const left = this.#pagesLeft.get(session ?? '') ?? 0
    if (session === undefined || left === 0) return this.#away()
    this.#pagesLeft.set(session, left - 1)
    const rows = PRODUCTS.slice((number - 1) * PER_PAGE, number * PER_PAGE).map(
      ({ sku, memberPrice }) => `<tr><td class="sku">${sku}</td><td class="price">${memberPrice.toFixed(2)}</td></tr>`,
    )
    const next = number * PER_PAGE < PRODUCTS.length ? `<a rel="next" href="?page=${String(number + 1)}">Next</a>` : ''
    return { status: 200, body: html('Prices for members', `<table>${rows.join('')}</table>${next}`) }
  }

  #away(): MemberAnswer {
    this.sentAway++
    return { status: 200, body: html('Please sign in', '<p class="signed-out">Please <a href="/login">sign in</a>.</p>') }
  }
}

function tokenOf(visit: string): string {
  return createHash('sha256').update(`token of ${visit}`).digest('hex').slice(0, 16)
}
