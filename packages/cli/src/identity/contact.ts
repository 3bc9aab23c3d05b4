// How a site owner reaches whoever crawls: a mail address or a URL, typed or in the user agent.
import { AvocetError } from '@avocet/core'

/** A way to reach people. */
export interface Contact {
  readonly text: string
  readonly href: string
}

const MAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,250}$/
const IN_USER_AGENT = /\+?(https?:\/\/[^\s;)]+|[^\s;()+]+@[^\s;()]+)/

/** The typed one, or that of the user agent. Throws AVO_USAGE for what is neither mail address nor URL, and without any. */
export function contactOf(typed: string | undefined, userAgent: string): Contact {
  const text = typed ?? IN_USER_AGENT.exec(userAgent)?.[1]
  if (text === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      'identity page: expected --contact with a mail address or a URL, got none; site owners must be able to reach you',
    )
  if (MAIL.test(text)) return { text, href: `mailto:${encodeURIComponent(text).replace('%40', '@')}` }
  if (/^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).password === '') return { text, href: new URL(text).href }
  throw new AvocetError('AVO_USAGE', `identity page --contact: expected a mail address or a URL, got '${text}'`)
}
