export { type GraphqlJit, type JitExecutorOptions, jitExecutor } from './jit-executor.ts'
