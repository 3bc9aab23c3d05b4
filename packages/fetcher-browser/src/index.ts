// Fetches pages for Avocet with a browser: those that build themselves by script.
export {}
