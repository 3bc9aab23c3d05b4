// What `npm create avocet` is made of.
export {}
