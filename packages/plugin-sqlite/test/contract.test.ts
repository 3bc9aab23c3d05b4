// SQLite is a frontier.
import { frontierContract } from '@avocet/testkit/contracts'
import { sqliteStore } from './stores.ts'

frontierContract('sqlite', () => sqliteStore({ synchronous: 'normal' }), { shared: true })
