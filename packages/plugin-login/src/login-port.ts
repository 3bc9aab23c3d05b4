// The port of core behind which logins are: its words.
import type { Spider } from '@avocet/core'
import type { Ports } from '@avocet/core/store'

/** How a spider logs in. */
export type SpiderLogin = NonNullable<Spider['login']>
/** What a crawl asks. */
export type LoginGatekeeper = Awaited<ReturnType<NonNullable<ReturnType<NonNullable<Ports['gatekeeper']>>>>>
export type OpenLogins = ReturnType<LoginGatekeeper['open']>
export type LoginGate = NonNullable<ReturnType<OpenLogins['holds']>>
export type LoginAnswer = Parameters<OpenLogins['reviewed']>[0]
export type LoginReview = NonNullable<ReturnType<OpenLogins['reviewed']>>
/** What it is asked about. */
export type LoginCrawl = Parameters<LoginGatekeeper['open']>[0]
export type LoginVisit = Parameters<LoginCrawl['visit']>[0]
type Came = Parameters<Parameters<LoginCrawl['visit']>[1]>[0]
export type LoginPage = Extract<Came, { readonly page: unknown }>
/** It could not be made now, and has not failed. */
export type LoginPutOff = Extract<Came, { readonly notBefore: number }>
