export { type GraphqlJit, type JitExecutorOptions, jitExecutor } from './jit/jit-executor.ts'
