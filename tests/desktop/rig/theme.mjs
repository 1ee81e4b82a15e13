// Light and dark, as the page has them when the settings choose them.

/** Runs in the page. `theme`: `light`, `dark`, or null for the system's. */
function pageTheme(theme, done) {
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  // A change fades; pulses and the like go on for ever and are not waited for.
  const faded = () => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))
  frame().then(frame).then(faded).then(() => done(null), (error) => done(String(error)))
}

/** Shows a theme and waits until nothing fades any more. */
export async function showTheme(browser, theme) {
  const wrong = await browser.executeAsync(pageTheme, theme)
  if (wrong) throw new Error(`the theme ${theme} could not be shown: ${wrong}`)
}
