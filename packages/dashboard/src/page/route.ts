// Where the page is, as its address says it: views can be linked, and the back button works.
//
// `#/` all crawls, `#/CRAWL/now`, `#/CRAWL/hosts?search=…&sort=…&state=…`, `#/CRAWL/host/HOST`, `#/CRAWL/url/URL`, `#/CRAWL/politeness/HOST`. Each part is
// percent-encoded, so that a name with a slash in it is a name.
import { HOST_SORTS, HOST_STATES } from '../picture.ts'
import { FIRST_WISH, VIEWS, type ViewName, type ViewWish } from '../view-wish.ts'

/** What an address says of a wish. */
export type Route = Pick<ViewWish, 'view' | 'crawl' | 'key' | 'search' | 'sort' | 'state'>

/** Reads `location.hash`; what makes no sense leads to all crawls. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [crawl = '', view = '', ...key] = path.split('/').map(decoded)
  const asked = new URLSearchParams(query)
  const known = VIEWS.find((name) => name === view && name !== 'crawls')
  if (crawl === '') return { ...FIRST_WISH, view: 'crawls' }
  return {
    view: known ?? 'now',
    crawl,
    key: key.join('/'),
    search: asked.get('search') ?? '',
    sort: HOST_SORTS.find((name) => name === asked.get('sort')) ?? FIRST_WISH.sort,
    state: HOST_STATES.find((name) => name === asked.get('state')) ?? FIRST_WISH.state,
  }
}

/** The address of a route. */
export function addressOf({ view, crawl = '', key = '', ...rest }: Partial<Route> & { readonly view: ViewName }): string {
  if (view === 'crawls') return '#/'
  const { search = '', sort = FIRST_WISH.sort, state = FIRST_WISH.state } = rest
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(sort !== FIRST_WISH.sort && { sort }),
    ...(state !== FIRST_WISH.state && { state }),
  }).toString()
  const path = [crawl, view, ...(key === '' ? [] : [key])].map(encodeURIComponent).join('/')
  return `#/${path}${query === '' ? '' : `?${query}`}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
