// Pages that a shop answers in place of its own, each with status 200: blocks of bots, and walls.
import { oneOf, type Look } from './shown.ts'

/** Blocks, as the services that many shops are behind word them. */
export const BLOCKS: Readonly<Record<string, (look: Look) => string>> = {
  'browser check': (look) =>
    `<!doctype html><title>Just a moment...</title><h1>Checking your browser before accessing the site</h1><p>Ray ID: ${hex(look, 21)}</p><script src="/cdn-cgi/challenge?r=${hex(look, 22)}"></script>`,
  captcha: (look) =>
    `<html><head><title>Robot or human?</title></head><body><form action="/verify" method="post"><input type="hidden" name="vid" value="${hex(look, 21)}"><div class="g-recaptcha"></div><p>Activate and hold the button to confirm that you're human.</p></form></body></html>`,
  'access denied': (look) =>
    `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access this page on this server.<P>Reference #18.${hex(look, 21)}</BODY></HTML>`,
  'unusual traffic': () =>
    '<!doctype html><title>Sorry</title><p>We have noticed unusual activity from your network. Please enable cookies and try again later.</p>',
  'script only': (look) =>
    `<html><head><script>var _0x${hex(look, 21)}=["\\x72"];document.cookie="c=1";location.reload(true)</script></head><body></body></html>`,
  'nothing at all': () => '',
  'in the shop’s own frame': (look) =>
    `<!doctype html><html lang="en"><head><title>Shop</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Shop"}</script></head><body><header>Home Offers New</header><main><h1>${oneOf(['Please slow down', 'Too many requests', 'One moment please'], look, 23)}</h1><p>Your order is safe. Delivery from 4.95.</p></main></body></html>`,
}

/** Walls that a visitor has to log in, or to agree, to pass. */
export const WALLS: Readonly<Record<string, (look: Look) => string>> = {
  'login form': (look) =>
    `<!doctype html><title>Sign in</title><h1>Sign in to continue</h1><form method="post" action="/login"><input type="hidden" name="csrf" value="${hex(look, 21)}"><input name="email"><input type="password" name="password"><button>Sign in</button></form>`,
  'members only': () =>
    '<!doctype html><title>Members</title><h1>This shop is for registered customers</h1><a href="/register" rel="nofollow">Register</a>',
  'consent first': (look) =>
    `<!doctype html><title>Your privacy</title><div id="consent-${hex(look, 21)}"><h1>Before you continue</h1><button>Accept all</button><button>Reject</button></div>`,
}

function hex(look: Look, place: number): string {
  return Math.floor(look(place) * 2 ** 32).toString(16)
}
