// Cookies for Avocet: a jar for each session, kept with the crawl.
export { cookies } from './cookies.ts'
