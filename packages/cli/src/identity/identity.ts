// `avocet identity page`: writes the page that the URL in the user agent should lead to.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { planOf } from '../load/plan-crawl.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { writeDocument, writeFileText } from '../output/machines.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { contactOf, crawlerIdentity } from './crawler-identity.ts'
import { identityPage } from './identity-page.ts'
import { ownersPage } from './owners-page.ts'

/** What was typed. */
export interface IdentityWish {
  readonly options: CrawlOptions
  readonly name: string
  readonly purpose: string
  /** Mail address or URL. */
  readonly contact?: string
  readonly stores?: string
  /** Absent: standard output. */
  readonly path?: string
  readonly namesHosts: boolean
}

const STDOUT = '-'

/** Writes it. Throws AVO_USAGE without a contact, AVO_OUTPUT_UNWRITABLE, and what planning a crawl throws. */
export async function identityCommand(wish: IdentityWish, place: Place): Promise<void> {
  const { options, name, purpose, stores, namesHosts, path = STDOUT } = wish
  const identity = crawlerIdentity(await planOf(options, place))
  const contact = contactOf(wish.contact, identity.userAgent)
  if (identity.isShared)
    say(
      place.stderr,
      'the user agent is the built-in one, which many crawlers have; set userAgent to a name and a URL of your own',
    )
  const hosts = namesHosts ? identity.hosts : []
  const said = { name, purpose, contact: contact.text, ...(stores !== undefined && { stores }) }
  if (options.json) return writeDocument(place.stdout, { schema: 1, ...said, ...identity, hosts })
  const html = identityPage(
    ownersPage({ ...identity, hosts }, { name, purpose, contact, ...(stores !== undefined && { stores }) }),
  )
  if (path === STDOUT) return writeFileText(place.stdout, html)
  try {
    // To be published, so not for its owner alone.
    await writeFile(resolve(place.folder, path), html, { mode: 0o644 })
  } catch (error) {
    const what = `identity page -O: expected to write ${path}, got ${messageOf(error)}; name another file`
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', what, { cause: error })
  }
  say(place.stderr, `written: ${printable(path)}; publish it at the URL in the user agent`)
}
