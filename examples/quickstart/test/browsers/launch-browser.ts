import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Why a test in a browser is skipped where there is none. */
export const reason = `no browser at ${executablePath}: install Debian's chromium, or set CHROMIUM_PATH`

/** For each step: a browser on a busy machine takes its time. */
export const timeout = 60_000

/** Returns a browser, or `null`: there is none here. */
export async function launchBrowser(): Promise<Browser | null> {
  if (!existsSync(executablePath)) return null
  const quiet = ['--disable-gpu', '--disable-background-networking', '--disable-component-update']
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...quiet]
  return chromium.launch({ executablePath, args, timeout })
}
