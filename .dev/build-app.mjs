// Builds the window's binary with the UI inside, and nothing else.
import { buildApp } from './lib/build.mjs'
import { main } from './lib/say.mjs'

await main(buildApp)
