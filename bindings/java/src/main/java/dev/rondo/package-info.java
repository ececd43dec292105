/**
 * Rondo for Java: record work once, replay it for almost nothing.
 *
 * <p>An {@link dev.rondo.Engine} orders tasks by what they read and write and issues them asynchronously. {@link dev.rondo.Tensor}s
 * are computed by operators; what a thread {@linkplain dev.rondo.Engine#record records} becomes a {@link dev.rondo.Graph}. Several
 * devices or processes compute together by a {@link dev.rondo.Comm}, and train together with {@link dev.rondo.Buckets}; an
 * {@link dev.rondo.Optimizer} steps parameters, with an {@link dev.rondo.Autocast} scope and a {@link dev.rondo.LossScaler} in 16 bits.
 *
 * <h2>Memory and threads</h2>
 *
 * Every object is closed by its user, at once or by a {@link dev.rondo.Scope}; {@code close} may be called twice and from any
 * thread. What nobody closed is freed by the garbage collector and {@linkplain dev.rondo.Rondo#leaks() counted}. The collector does not
 * see the memory of tensors, so where that runs out it is made to run before a request fails. Memory of the cpu has a limit for that:
 * half of what the process may use, or what {@code -Ddev.rondo.memoryLimit=8g} or {@link dev.rondo.EngineOptions#memoryLimit(long)}
 * says. A call on a closed object throws {@link dev.rondo.InvalidStateException}. All methods may be called from any thread, except those of a scope, a
 * recording, an open tape and a task's context, which belong to theirs.
 *
 * <p>User {@linkplain dev.rondo.Task tasks} run on the engine's worker threads, which Java knows as daemon threads named {@code
 * rondo} from their first task on. Futures are completed on one daemon thread. No thread of a GPU's driver enters Java.
 *
 * <h2>Where the native library comes from</h2>
 *
 * The first of these that is there is taken:
 *
 * <ol>
 *   <li>With {@code -Ddev.rondo.native.skip=true} nothing is loaded: the program has called {@code System.load} itself.
 *   <li>With {@code -Ddev.rondo.native.path=FOLDER}, {@code librondo_jni.so} of that folder, and {@code librondo.so.0} if it is there
 *       too. What is missing there is an error.
 *   <li>The jar for this kind of machine on the class or module path ({@code rondo-VERSION-linux-x86_64.jar}). Its files are checked
 *       and extracted to a temporary folder of the process, which is gone once they are loaded. With {@code
 *       -Ddev.rondo.native.extractDir=FOLDER} they stay in that folder and serve the next process too; take it where the temporary
 *       folder does not allow to execute files.
 *   <li>{@code librondo_jni.so} in a folder of the library path of the virtual machine.
 * </ol>
 *
 * If none is there, {@link dev.rondo.LibraryMissingException} says every place that was looked at. On Java 24 and later run with
 * {@code --enable-native-access=dev.rondo}, or {@code ALL-UNNAMED} on the class path.
 *
 * <p>Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
 */
@NullMarked
package dev.rondo;

import org.jspecify.annotations.NullMarked;
