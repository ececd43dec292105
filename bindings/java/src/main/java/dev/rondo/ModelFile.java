// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of named tensors with metadata, in the format safetensors, that is open for reading. It belongs to no engine, and any
 * number of threads may load from it:
 *
 * <pre>{@code
 * ModelFile.write(path, Map.of("w1", w1, "b1", b1));
 * try (ModelFile file = ModelFile.open(path)) {
 *   Tensor w1 = file.load("w1", engine, Device.CPU);
 * }
 * }</pre>
 *
 * <p>Opening checks the header, and nothing of a file is trusted. The data are read when a tensor is loaded, by workers of the
 * engine: what goes wrong then is an error of the tensor.
 */
public final class ModelFile extends NativeObject {
  private ModelFile(long address) {
    super("model file", address, new Gate(), NativeModels::modelFileDestroy);
    Scope.add(this);
  }

  /**
   * Opens a file and checks its header.
   *
   * @param path the file
   * @return the file
   * @throws NotFoundException if there is none
   * @throws IoException if it cannot be read or is not valid
   * @throws UnsupportedException if a text in it holds the character 0
   */
  public static ModelFile open(Path path) {
    NativeLibrary.load();
    return made(ModelFile::new, NativeModels::modelFileDestroy, NativeModels.modelFileOpen(Memory.nameOf(path)));
  }

  /**
   * Writes tensors under their names.
   *
   * @param path the file
   * @param tensors the tensors by their names
   * @throws IoException if it cannot be written
   * @see #write(Path, Map, Map)
   */
  public static void write(Path path, Map<String, Tensor> tensors) {
    write(path, tensors, Map.of());
  }

  /**
   * Writes tensors under their names, and metadata. Waits for the tensors, which may be views and on any devices. The file takes the
   * place of a former one when it is complete and on the disk. Equal contents give equal bytes: tensors are sorted, metadata are in
   * the order of their map.
   *
   * @param path the file
   * @param tensors the tensors by their names
   * @param metadata texts by their keys
   * @throws IoException if it cannot be written
   */
  public static void write(Path path, Map<String, Tensor> tensors, Map<String, String> metadata) {
    NativeLibrary.load();
    final List<String> names = new ArrayList<>(tensors.keySet());
    final List<String> keys = new ArrayList<>(metadata.keySet());
    final Tensor[] values = names.stream().map(name -> Objects.requireNonNull(tensors.get(name), name)).toArray(Tensor[]::new);
    final Uses uses = use(values);
    try {
      NativeModels.modelFileWrite(Memory.nameOf(path), names.toArray(new String[0]), uses.addresses(), keys.toArray(new String[0]),
          keys.stream().map(metadata::get).toArray(String[]::new));
    } finally {
      uses.end();
    }
  }

  /**
   * Numbers of tensors and metadata, bytes.
   *
   * @return the facts
   */
  public ModelFileInfo info() {
    final long address = acquire();
    try {
      return NativeModels.modelFileQuery(address);
    } finally {
      release();
    }
  }

  /**
   * All tensors, in the order of their data: loaded in this order, the file is read from its beginning to its end.
   *
   * @return what the file says of each
   */
  public List<Entry> tensors() {
    final long address = acquire();
    try {
      final List<Entry> all = new ArrayList<>();
      final long count = NativeModels.modelFileQuery(address).tensors();
      for (long i = 0; i < count; ++i) {
        all.add(entry(address, i));
      }
      return Collections.unmodifiableList(all);
    } finally {
      release();
    }
  }

  /**
   * One tensor by its name.
   *
   * @param name its name
   * @return what the file says of it
   * @throws NotFoundException if there is none of this name
   */
  public Entry tensor(String name) {
    Objects.requireNonNull(name, "name");
    final long address = acquire();
    try {
      return entry(address, NativeModels.modelFileFind(address, name));
    } finally {
      release();
    }
  }

  private static Entry entry(long address, long index) {
    final long[] name = new long[1];
    final ModelTensorInfo info = NativeModels.modelFileTensor(address, index, name);
    return new Entry(Memory.text(name[0]), info);
  }

  /**
   * The metadata, in the file's order.
   *
   * @return texts by their keys
   */
  public Map<String, String> metadata() {
    final long address = acquire();
    try {
      final Map<String, String> all = new LinkedHashMap<>();
      final long count = NativeModels.modelFileQuery(address).metadata();
      final long[] texts = new long[2];
      for (long i = 0; i < count; ++i) {
        NativeModels.modelFileMetadata(address, i, texts);
        all.put(Memory.text(texts[0]), Memory.text(texts[1]));
      }
      return Collections.unmodifiableMap(all);
    } finally {
      release();
    }
  }

  /**
   * Loads a tensor to a device. Does not wait: what goes wrong when the file is read, waits on the tensor throw. The file may be
   * closed meanwhile.
   *
   * @param name its name
   * @param engine the engine
   * @param device where to
   * @return a new tensor
   * @throws NotFoundException if there is none of this name
   * @throws UnsupportedException if Rondo does not have its dtype or as many dimensions
   */
  public Tensor load(String name, Engine engine, Device device) {
    return load(name, engine, device, null);
  }

  /**
   * Loads a tensor into one that is there, of the same shape and dtype. It may be a view, and one that accumulates.
   *
   * @param name its name
   * @param out the tensor that is filled
   * @throws NotFoundException if there is none of this name
   * @throws InvalidArgumentException if shape or dtype differ
   */
  public void loadInto(String name, Tensor out) {
    load(name, out.engine(), out.device(), out);
  }

  private Tensor load(String name, Engine engine, Device device, Tensor out) {
    Objects.requireNonNull(name, "name");
    final long engineAddress = engine.address();
    final long outAddress = addressOf(out);
    final InUse inUse = InUse.current();
    inUse.begin(this, engine, out);
    try {
      return Tensor.result(engine, NativeModels.modelFileLoad(address(), name, engineAddress, device, outAddress), out);
    } finally {
      inUse.end(this, engine, out);
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "ModelFile[closed]" : "ModelFile" + tensors();
  }

  /** What a {@link ModelFile} says of one tensor. */
  public static final class Entry {
    private final String name;
    private final ModelTensorInfo info;

    private Entry(String name, ModelTensorInfo info) {
      this.name = name;
      this.info = info;
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
      return name;
    }

    /**
     * All facts as the C interface has them.
     *
     * @return the facts
     */
    public ModelTensorInfo info() {
      return info;
    }

    /**
     * Its dtype, if Rondo can load it.
     *
     * @return the dtype; null if Rondo does not have it, or not as many dimensions
     */
    public @Nullable DType dtype() {
      return info.loadable() != 0 ? info.dtype() : null;
    }

    /**
     * Its dtype as the file spells it.
     *
     * @return {@code F32}, {@code F8_E4M3}
     */
    public String formatDtype() {
      return info.formatDtype();
    }

    /**
     * Its sizes.
     *
     * @return a new array; of more dimensions than Rondo's tensors have, the first ones
     */
    public long[] shape() {
      return Arrays.copyOf(info.shape(), Math.min(info.ndim(), info.shape().length));
    }

    /**
     * How many bytes it has in the file.
     *
     * @return the number
     */
    public long bytes() {
      return info.bytes();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry && name.equals(((Entry) other).name) && info.equals(((Entry) other).info);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + info.hashCode();
    }

    @Override
    public String toString() {
      return name + ": " + formatDtype() + " " + Arrays.toString(shape());
    }
  }
}
