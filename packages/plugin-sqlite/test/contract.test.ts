// SQLite is a frontier.
import { frontierContract } from '@avocet/testkit/contracts'
import { modelContract } from '@avocet/stress/frontier'
import { sqliteStore } from './stores.ts'

frontierContract('sqlite', () => sqliteStore({ synchronous: 'normal' }), { shared: true })

modelContract(() => sqliteStore({ synchronous: 'normal' }))
