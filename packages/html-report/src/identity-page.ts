// A page for site owners: who crawls, and how to slow or stop it. One file that needs nothing else, and runs nothing.
import { Markup, markup } from './markup.ts'
import type { Fact, Sentence } from './report-page.ts'
import { STYLE } from './style.ts'
import { sentence } from './table.ts'

/** Nothing is loaded and nothing runs, even if markup were to get in. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Lines to copy are wide: on a narrow screen they scroll, and the page does not. */
const OF_THIS_PAGE = `
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
  readonly facts: readonly (Pick<Fact, 'name' | 'value'> & { readonly href?: string })[]
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
<title>${title}</title>${Markup.ours(`<style>${STYLE}${OF_THIS_PAGE}</style>`)}</head><body>
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

/** Only what a mail program or a browser opens: no `javascript:`. */
function link(text: string, href: string): Markup {
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? markup`<a href="${href}" rel="noopener nofollow">${text}</a>` : markup`${text}`
}
