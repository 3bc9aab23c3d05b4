// A crawl that keeps its state in crawl.jsonl.
import { defineCrawl } from 'avocet'
import { journalFrontier } from './journal-frontier.ts'
import titles from './spider.ts'

export default defineCrawl({ spider: titles, frontier: journalFrontier('crawl.jsonl') })
