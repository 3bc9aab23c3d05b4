// A page for site owners: who crawls, and how to slow or stop it. One file that needs nothing else, and runs nothing.
import { Markup, markup } from './markup.ts'

/** Nothing is loaded and nothing runs, even if markup were to get in. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** A sentence; pieces with `code` are set as code. */
type Sentence = string | readonly (string | { readonly code: string })[]

/** Light and dark by the reader's own wish. Lines to copy are wide: on a narrow screen they scroll, and the page does not. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1f2a33; --quiet: #66737d; --line: #d9dfe3; --page: #fff; --card: #f6f8f9; --link: #0b6b7b }
@media (prefers-color-scheme: dark) { :root { --ink: #dde4e8; --quiet: #93a1ab; --line: #37434c; --page: #161c21; --card: #1e262c; --link: #6cc5d3 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 92rem; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem }
p { margin: .3rem 0; max-width: 60rem }
.quiet { color: var(--quiet) }
a { color: var(--link) }
dl.facts { display: grid; gap: .6rem; margin: 1.2rem 0 }
dl.facts div { background: var(--card); border-radius: .4rem; padding: .55rem .8rem }
dl.facts dt { color: var(--quiet); font-size: .82rem }
dl.facts dd { margin: 0 }
footer { margin-top: 3rem; font-size: .85rem }
main { max-width: 46rem }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem; overflow-x: auto; font-size: .9rem }
code { overflow-wrap: anywhere }
li { margin: .3rem 0 }
dl.facts { grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)) }
dl.facts dd { font-size: 1rem; overflow-wrap: anywhere }
`

/** A line feed in a text is shown as an escape; this one is a line feed. */
const NEW_LINE = Markup.ours('\n')

/** A heading with what is below it, in this order. */
export interface IdentitySection {
  readonly title: string
  readonly texts: readonly Sentence[]
  readonly list?: readonly Sentence[]
  /** Lines ready to copy, each with what they do. */
  readonly copies?: readonly { readonly does: string; readonly lines: readonly string[] }[]
}

/** The page, as plain data. */
export interface IdentityPage {
  readonly title: string
  readonly subtitle: string
  /** A fact with a `href` is a link: a mail address or a URL. */
  readonly facts: readonly { readonly name: string; readonly value: string; readonly href?: string }[]
  readonly sections: readonly IdentitySection[]
  readonly footer: string
}

/**
 * The whole file.
 *
 * @example
 * ```ts
 * const html = identityPage({ title: 'price-watch', subtitle: 'a web crawler', facts: [{ name: 'who', value: 'Example Ltd' }], sections: [], footer: '' })
 * ```
 */
export function identityPage({ title, subtitle, facts, sections, footer }: IdentityPage): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title>${Markup.ours(`<style>${STYLE}</style>`)}</head><body>
<header><h1>${title}</h1>
<p class="quiet">${subtitle}</p></header>
<main><dl class="facts">
${facts.map(({ name, value, href }) => markup`<div><dt>${name}</dt><dd>${href === undefined ? value : link(value, href)}</dd></div>\n`)}</dl>
${sections.map(section)}</main>
<footer class="quiet"><p>${footer}</p></footer></body></html>
`.toString()
}

function section({ title, texts, list = [], copies = [] }: IdentitySection): Markup {
  return markup`<section><h2>${title}</h2>
${texts.map((text) => markup`<p>${sentence(text)}</p>\n`)}${list.length > 0 ? markup`<ul>${list.map((text) => markup`<li>${sentence(text)}</li>\n`)}</ul>\n` : null}${copies.map(
    ({ does, lines }) => markup`<p>${does}</p>\n<pre>${lines.map((line) => markup`${line}${NEW_LINE}`)}</pre>\n`,
  )}</section>
`
}

function sentence(text: Sentence): Markup {
  if (typeof text === 'string') return markup`${text}`
  return markup`${text.map((piece) => (typeof piece === 'string' ? piece : markup`<code>${piece.code}</code>`))}`
}

/** Only what a mail program or a browser opens: no `javascript:`. */
function link(text: string, href: string): Markup {
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? markup`<a href="${href}" rel="noopener nofollow">${text}</a>` : markup`${text}`
}
