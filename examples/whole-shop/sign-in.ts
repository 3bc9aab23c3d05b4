// How the spider signs in: as links, so that the login is crawled like anything else, at the pace of the site, and found again after a kill.
//
// Whoever is signed out gets a page that says so, with status 200. Its handler goes on to the form, the form to the POST, and the POST back to the
// page. A page is requested once, however many link to it; `identity` makes of the next attempt another request.
import { link, type Link, type Page } from '@avocet/core'

/** The page for which somebody signs in, and how many times that was tried. */
export interface Attempt {
  readonly page: string
  readonly number: number
}

const MOST_ATTEMPTS = 5

/** Whether the site does not know us. */
export function isSignedOut(page: Page): boolean {
  return page.$('.signed-out, form.login').length > 0
}

/** To the form, to come back to `attempt.page`. Throws when that was in vain too often: then the page is among the dead letters. */
export function toForm({ page, number }: Attempt): Link<'login', Attempt> {
  if (number >= MOST_ATTEMPTS) throw new Error(`expected to be signed in after ${String(number)} attempts, got the form again`)
  const attempt: Attempt = { page, number: number + 1 }
  return link('/login', { handler: 'login', data: attempt, identity: nameOf(attempt), priority: 1 })
}

/** What the form sends. The cookie that belongs to the token is in the jar. */
export function filledIn(
  form: Page<Attempt>,
  account: { readonly user: string; readonly password: string },
): Link<'signedIn', Attempt> {
  const token = form.$('form.login input[name=token]').attr('value')
  if (token === undefined) throw new Error('expected a form with a token, found none')
  const { data } = form.request
  return link(form.$('form.login').attr('action') ?? '', {
    handler: 'signedIn',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...account, token }).toString(),
    data,
    identity: nameOf(data),
    priority: 1,
  })
}

/** Back to the page that wanted it. */
export function back(data: Attempt): Link<'memberPrices', { readonly signIns: number }> {
  return link(data.page, { handler: 'memberPrices', data: { signIns: data.number }, identity: nameOf(data) })
}

function nameOf({ page, number }: Attempt): string {
  return `sign-in ${String(number)} for ${page}`
}
