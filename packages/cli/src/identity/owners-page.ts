// The text of the page for site owners.
import { formatCountOf, formatDuration } from '../text/quantity.ts'
import type { Contact, CrawlerIdentity, CrawlPace } from './crawler-identity.ts'
import type { IdentityPage, IdentitySection } from './identity-page.ts'

/** What only people know. */
export interface Said {
  readonly name: string
  readonly purpose: string
  readonly contact: Contact
  readonly stores?: string
}

/** The page as plain data. */
export function ownersPage(identity: CrawlerIdentity, said: Said): IdentityPage {
  const { product, userAgent, sessionAgents } = identity
  return {
    title: product,
    subtitle: `A web crawler, run by ${said.name}`,
    facts: [
      { name: 'run by', value: said.name },
      { name: 'contact', value: said.contact.text, href: said.contact.href },
      { name: 'user agent', value: userAgent },
      ...sessionAgents.map((value) => ({ name: 'also as', value })),
      { name: 'name in robots.txt', value: product },
    ],
    sections: [why(identity, said), howOften(identity), obeyed(identity), control(identity, said), stored(identity, said)],
    footer: 'Crawls with Avocet, a framework for polite web crawls.',
  }
}

function why({ hosts }: CrawlerIdentity, { purpose }: Said): IdentitySection {
  if (hosts.length === 0) return { title: 'What it is for', texts: [purpose] }
  return { title: 'What it is for', texts: [purpose, 'It begins at these hosts:'], list: hosts.map((code) => [{ code }]) }
}

function howOften({ pace, learnsRate, everyMs }: CrawlerIdentity): IdentitySection {
  const learned =
    'The rate follows how well your server answers: the crawler begins slowly, goes faster only while answers stay good, and slows down when your server answers 429 or 503 or becomes slow.'
  const again =
    everyMs === null
      ? 'Each page is requested once in a crawl, and again only when a request fails or the crawl is repeated.'
      : `Pages may be requested again every ${formatDuration(everyMs)}.`
  return { title: 'How often it requests pages', texts: [...(learnsRate ? [learned] : []), again], list: boundsOf(pace) }
}

function boundsOf({ maxRps, delayMs, maxInFlight }: CrawlPace): readonly string[] {
  return [
    ...(maxRps === undefined ? [] : [`At most ${formatCountOf(maxRps, 'request')} per second to a host`]),
    ...(delayMs === undefined ? [] : [`At least ${formatDuration(delayMs)} between two requests to a host`]),
    ...(maxInFlight === undefined ? [] : [`At most ${formatCountOf(maxInFlight, 'request')} to a host at the same time`]),
  ]
}

function obeyed({ robots, product, everyMs }: CrawlerIdentity): IdentitySection {
  const again = everyMs === null ? 'not requested again' : 'requested again only when its next visit is due'
  const answers = [
    '429 and 503 with Retry-After: no request is sent to the host before that time.',
    `402 (Payment Required): the page is not paid for, and ${again}.`,
  ]
  if (robots === null)
    return {
      title: 'What it obeys',
      texts: ['It does not read robots.txt: it is meant for sites of those who run it.'],
      list: answers,
    }
  const { maxCrawlDelayMs, ignoredAtSome } = robots
  return {
    title: 'What it obeys',
    texts: ignoredAtSome
      ? ['Those who run it have chosen some sites at which it does not read robots.txt. At all others, it obeys the following.']
      : [],
    list: [
      [
        'robots.txt (RFC 9309), read before the first page of a site and again after 24 hours; it looks for ',
        { code: product },
        ', else for ',
        { code: '*' },
        '.',
      ],
      `Crawl-delay in robots.txt. A site that asks for more than ${formatDuration(maxCrawlDelayMs)} is left alone.`,
      ...answers,
      'Content-Signal, Content-Usage and TDM-Reservation are recorded. The crawler does not interpret them: ask those who run it what they do with the content.',
    ],
  }
}

function control({ robots, product }: CrawlerIdentity, { contact }: Said): IdentitySection {
  const title = 'How to slow it down or stop it'
  const reach = `Or write to ${contact.text}.`
  if (robots === null) return { title, texts: [`Answer 429 with a Retry-After field to slow it down. ${reach}`] }
  return {
    title,
    texts: [
      `Put these lines into the robots.txt of your site. They take effect within 24 hours. Lines for ${product} replace those for all crawlers: repeat what should apply to it as well. To slow it down at once, answer 429 with a Retry-After field. ${reach}`,
    ],
    copies: [
      { does: 'One request every ten seconds:', lines: [`User-agent: ${product}`, 'Crawl-delay: 10'] },
      { does: 'Keep it out of a part of the site:', lines: [`User-agent: ${product}`, 'Disallow: /private/'] },
      { does: 'Stop it:', lines: [`User-agent: ${product}`, 'Disallow: /'] },
    ],
  }
}

function stored({ keepsResponses }: CrawlerIdentity, { stores }: Said): IdentitySection {
  const known = keepsResponses
    ? 'Addresses of pages, data extracted from them, and their responses, for a while.'
    : 'Addresses of pages, and data extracted from them. Whole pages are not kept.'
  return { title: 'What is stored', texts: [stores ?? known] }
}
