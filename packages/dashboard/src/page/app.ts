// The page: holds where it is and what came, and draws the view that fits.
import { Component, h, render } from 'preact'
import type { SteeringAction } from '../crawl-source.ts'
import type { CrawlHead } from '../picture.ts'
import { FIRST_WISH, type ViewName } from '../view-wish.ts'
import { browserNow, laterOn } from './clock.ts'
import { CrawlsView } from './crawls-view.ts'
import { AddDialog, ConfirmDialog, questionOf, StopDialog } from './dialogs.ts'
import { FailuresView } from './failures-view.ts'
import { HostsView } from './hosts-view.ts'
import { ItemsView } from './items-view.ts'
import { NowView } from './now-view.ts'
import { PageHead } from './page-head.ts'
import { FileStream, PageStream, post, type StreamState } from './page-stream.ts'
import { PolitenessView } from './politeness-view.ts'
import { addressOf, routeOf, type Route } from './route.ts'
import { SingleHostView } from './single-host-view.ts'
import { UrlView } from './url-view.ts'
import { partNamed, type Drawn, type View, type ViewScope } from './view-scope.ts'
import { visible } from './words.ts'

const VIEW_OF: Readonly<Record<ViewName, View>> = {
  crawls: CrawlsView,
  now: NowView,
  hosts: HostsView,
  host: SingleHostView,
  url: UrlView,
  items: ItemsView,
  failures: FailuresView,
  politeness: PolitenessView,
}

/** How long it is said what was done. */
const TOLD_MS = 8_000

interface State {
  readonly route: Route
  readonly received: StreamState
  readonly told: string
  readonly dialog: 'stop' | 'add' | 'confirm' | undefined
  /** What is to be confirmed. */
  readonly asked?: SteeringAction
}

class App extends Component<object, State> {
  readonly #connection: PageStream | FileStream = connected(() => this.setState({ received: this.#connection.received }))
  #rows = { from: FIRST_WISH.from, count: FIRST_WISH.count }
  #forget: (() => void) | undefined
  override state: State = { route: routeOf(location.hash), received: this.#connection.received, told: '', dialog: undefined }

  override componentDidMount(): void {
    addEventListener('hashchange', () => this.#went())
    this.#connection.open()
    this.#wants()
  }

  override render(): Drawn {
    const { route, received, told } = this.state
    const scope = this.#scope()
    const trouble = partNamed<string>(scope, 'trouble') ?? partNamed<CrawlHead>(scope, 'head')?.trouble
    document.title = titleOf(scope)
    return h('div', { class: `page view-${route.view}` }, [
      h(PageHead, {
        scope,
        state: received.state,
        stop: () => this.setState({ dialog: 'stop' }),
        add: () => this.setState({ dialog: 'add' }),
      }),
      h('main', { id: 'main', tabIndex: -1 }, [
        trouble === undefined || trouble === null ? null : h('p', { class: 'trouble', role: 'alert' }, visible(trouble)),
        partNamed(scope, 'missing') === 'crawl'
          ? h('p', { class: 'nothing' }, 'There is no crawl of this name here, or it has not begun yet.')
          : isOver(received)
            ? h('p', { class: 'nothing' }, OVER)
            : partNamed(scope, 'missing') === 'file'
              ? h('p', { class: 'nothing' }, NOT_IN_FILE)
              : h(VIEW_OF[route.view], scope),
      ]),
      h('p', { class: told === '' ? 'told' : 'told is-said', role: 'status' }, visible(told)),
      ...this.#dialogs(),
    ])
  }

  #dialogs(): readonly Drawn[] {
    const { dialog } = this.state
    const { act } = this.#scope()
    const at = (name: State['dialog']): { readonly isOpen: boolean; close(): void } => ({
      isOpen: dialog === name,
      // The browser says late that one has closed: another may be open by then.
      close: () => this.state.dialog === name && this.setState({ dialog: undefined }),
    })
    return [
      h(StopDialog, { ...at('stop'), stop: (now) => act({ kind: 'stop', now }) }),
      h(ConfirmDialog, { ...at('confirm'), asked: this.state.asked, act: (action) => void this.#act(action) }),
      h(AddDialog, { ...at('add'), add: (urls) => this.#add(urls) }),
    ]
  }

  #scope(): ViewScope {
    const { route, received } = this.state
    return {
      route,
      parts: received.parts,
      now: browserNow() + received.aheadMs,
      filter: (to) => this.#filter(to),
      shows: (from, count) => {
        this.#rows = { from, count }
        this.#wants()
      },
      act: (action) =>
        questionOf(action) === undefined ? void this.#act(action) : this.setState({ dialog: 'confirm', asked: action }),
      isOver: received.state === 'over' || received.state === 'file',
    }
  }

  /** Each letter that is typed is no page to go back to. */
  #filter(to: Partial<Route>): void {
    const hash = addressOf({ ...this.state.route, ...to })
    history.replaceState(null, '', hash)
    this.#rows = { ...this.#rows, from: 0 }
    this.setState({ route: routeOf(hash) }, () => this.#wants())
  }

  /** By a link or the back button: those who hear the page are told by the focus. */
  #went(): void {
    this.#rows = { ...this.#rows, from: 0 }
    this.setState({ route: routeOf(location.hash) }, () => {
      this.#wants()
      document.getElementById('main')?.focus({ preventScroll: true })
      scrollTo(0, 0)
    })
  }

  #wants(): void {
    this.#connection.wants({ ...this.state.route, ...this.#rows })
  }

  async #act(action: SteeringAction): Promise<void> {
    const { done, error } = await this.#ask(action)
    this.#tell(done ?? error ?? NO_ANSWER)
  }

  /** What is wrong with them, if anything: then nothing was added. */
  async #add(urls: readonly string[]): Promise<string | undefined> {
    const { done, error = NO_ANSWER } = await this.#ask({ kind: 'add', seeds: urls.map((url) => ({ url })) })
    if (done === undefined) return error
    this.#tell(done)
    return undefined
  }

  async #ask(action: SteeringAction): Promise<{ readonly done?: string; readonly error?: string }> {
    const answer = await post('/act', { crawl: this.state.route.crawl, action }).catch(() => undefined)
    return ((await answer?.json().catch(() => ({}))) ?? {}) as { readonly done?: string; readonly error?: string }
  }

  #tell(told: string): void {
    this.#forget?.()
    this.setState({ told })
    this.#forget = laterOn(TOLD_MS, () => this.setState({ told: '' }))
  }
}

/** The crawl, or what the file that this page is has of it. */
function connected(changed: () => void): PageStream | FileStream {
  const packed = document.getElementById('file')?.textContent
  return packed === undefined || packed === null ? new PageStream(changed) : new FileStream(packed, changed)
}

const NOT_IN_FILE = 'This is not in the file. To look at all of the crawl, run avocet ui.'
const NO_ANSWER = 'The crawl did not answer.'
const OVER = 'The command that ran this crawl has ended, and this page with it. To look at what it left, run avocet ui.'

/** Nothing came of this view before the command ended. */
function isOver({ state, parts }: StreamState): boolean {
  return state === 'over' && [...parts.keys()].every((name) => ['head', 'at', 'offers'].includes(name))
}

function titleOf(scope: ViewScope): string {
  const { view, crawl, key } = scope.route
  if (view === 'crawls') return 'Crawls – Avocet'
  const { name = crawl } = partNamed<CrawlHead>(scope, 'head') ?? {}
  const what = {
    now: 'now',
    hosts: 'hosts',
    host: key,
    url: key,
    items: 'items',
    failures: 'failed',
    politeness: `${key}, for its owner`,
  }[view]
  return visible(`${what} – ${name} – Avocet`)
}

const root = document.getElementById('app')
// What stands there is seen before the script is.
root?.replaceChildren()
if (root !== null) render(h(App, {}), root)
