// Proxies for Avocet: by host or by session, rested while they fail.
export {}
