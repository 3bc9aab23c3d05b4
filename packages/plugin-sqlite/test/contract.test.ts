// SQLite is a frontier.
import { frontierContract } from '@avocet/testkit/contracts'
import { frontierDetails } from '@avocet/stress/frontier'
import { sqliteStore } from './stores.ts'

frontierContract('sqlite', () => sqliteStore({ synchronous: 'normal' }), { shared: true })

frontierDetails('sqlite', () => sqliteStore({ synchronous: 'normal' }), { shared: true })
