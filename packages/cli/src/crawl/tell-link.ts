// Says where the page of a crawl is. Its link has a token that lets in whoever has it, so only people get that: logs are kept, copied and collected.
import type { Place } from '../place.ts'
import type { PageWish } from '../ui/crawl-page.ts'
import { isUnseen } from './shown-in.ts'

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
    isUnseen(place) && wish.passwordPath === undefined
      ? ' (the token is not logged: choose a password with --ui-password-file)'
      : ''
  place.log?.write({ level: 'info', message: `${words} ${address.href}${hint}` })
  if (!isUnseen(place)) say(`${words} ${link}`)
}
