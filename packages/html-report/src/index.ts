// The one door of @avocet/html-report.
export { htmlReport } from './html-report.ts'
export { identityPage, type IdentityPage, type IdentitySection } from './identity-page.ts'
export type * from './report-page.ts'
