// The one door of @avocet/html-report.
export { htmlReport } from './html-report.ts'
export type * from './report-page.ts'
