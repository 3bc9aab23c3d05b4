// The one door of @avocet/plugin-recrawl.
export { recrawl } from './recrawl.ts'
