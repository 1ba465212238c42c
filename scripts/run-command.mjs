/**
 * Runs a command of this repository and sets the exit code of the process: the result of `main`, 2 if it throws, or 130 if it
 * throws after SIGINT, SIGTERM or SIGHUP.
 *
 * @param main receives an `AbortSignal`, which these signals abort.
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
