// Sitemaps and feeds for Avocet: their URLs become requests.
export {}
