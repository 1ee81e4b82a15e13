// `npm run app [-- ARGS]`: installs what is missing, builds, opens the window. ARGS go to Paddock (`--practice` opens a
// running practice chat).
import { delimiter } from 'node:path'
import { buildApp } from './lib/build.mjs'
import { hasDisplay, startDisplay } from './lib/display.mjs'
import { ensureNodePackages } from './lib/node-packages.mjs'
import { APP, BIN } from './lib/paths.mjs'
import { interrupted, run } from './lib/run.mjs'
import { Stop, main, note, seconds, step } from './lib/say.mjs'
import { ensureSystem } from './lib/system.mjs'

/**
 * The environment that a desktop would give: without what `npm run` adds, and with the CLIs pinned here after the
 * person's own, because those are the ones that are logged in.
 */
function withoutNpm(env) {
  const own = (folder) => !/[\\/]node_modules[\\/]\.bin$|[\\/]node-gyp-bin$/.test(folder)
  const kept = Object.entries(env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name))
  const path = [...(env.PATH ?? '').split(delimiter).filter(own), BIN].join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path }
}

async function openWindow(args) {
  let display = null
  if (!hasDisplay()) {
    display = await startDisplay()
    step(`No display here: Paddock runs under Xvfb on ${display.env.DISPLAY}; nothing will be seen on a screen`)
    note('with a desktop, set DISPLAY or WAYLAND_DISPLAY and run the same command')
  }
  step(`Starting ${[APP, ...args].join(' ')}`)
  const env = { ...withoutNpm(process.env), ...display?.env }
  try {
    return await run([APP, ...args], { env, show: true, ask: true })
  } finally {
    display?.stop()
  }
}

await main(async () => {
  const from = Date.now()
  await ensureSystem(hasDisplay() ? ['build'] : ['build', 'headless'])
  await ensureNodePackages()
  await buildApp()
  note(`ready after ${seconds(Date.now() - from)}`)
  const { code, signal } = await openWindow(process.argv.slice(2))
  if (code === 0 || interrupted()) return 0
  throw new Stop(
    `Paddock ended with ${signal ?? `exit ${code}`}.`,
    'the lines above say why; README.md, "Where data lives" names the log folder',
  )
})
