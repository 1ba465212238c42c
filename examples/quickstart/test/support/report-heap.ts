// Imported before a program that runs with `--expose-gc`: at SIGUSR2 it prints what it needs once all garbage is gone.
const { gc } = globalThis as { readonly gc?: () => void }

process.on('SIGUSR2', () => {
  gc?.()
  gc?.()
  console.log(`heap in use: ${process.memoryUsage().heapUsed}`)
})
