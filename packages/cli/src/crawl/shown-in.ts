// Whether a crawl is shown: not where standard error is a log.
import type { Place } from '@avocet/project/place'
import type { PageWish } from '../ui/crawl-page.ts'

/** Whether nobody reads what is shown: standard error is a log. */
export function isUnseen({ log }: Place): boolean {
  return log !== undefined
}

// Says where the page of a crawl is. Its link has a token that lets in whoever has it, so only people get that: logs are kept, copied and collected.

/** The option with its password. */
export const UI_PASSWORD = '--ui-password-file'

/** The page, how it was asked for, and where people read. */
interface ServedPage {
  readonly link: string
  readonly wish: PageWish
  readonly say: (line: string) => void
}

/** The link for people, the address for logs. */
export function tellLink({ link, wish, say }: ServedPage, place: Place): void {
  const words = 'watch it in a browser:'
  const address = new URL(link)
  address.searchParams.delete('token')
  // Nobody can enter by the address alone.
  const hint =
    isUnseen(place) && wish.passwordPath === undefined ? ` (the token is not logged: choose a password with ${UI_PASSWORD})` : ''
  place.log?.write({ level: 'info', message: `${words} ${address.href}${hint}` })
  if (!isUnseen(place)) say(`${words} ${link}`)
}
