/**
 * Runs a command of this repository and sets the exit code of the process: what `main` returns, 2 when it throws, 130 when a
 * signal has ended it.
 *
 * @param main receives the signal that is aborted when the process is asked to end.
 */
export async function runCommand(name, main) {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => interrupted.abort(new Error(`ended by ${signal}`)))
  }
  try {
    process.exitCode = await main(interrupted.signal)
  } catch (error) {
    console.error(`${name}: ${error.message}`)
    process.exitCode = interrupted.signal.aborted ? 130 : 2
  }
}
