// Scores a table in parallel with Apache Spark: partitions call a function of a program file, with one instance of it per executor and GPU.
// docs/spark.md says how it is started.
// usage: ScoreTable PROGRAM TABLE RESULT [--function NAME] [--format FORMAT] [--rows N]
//
// Each input of the function is a column of arrays of real numbers, a row each, and has the function's name for it. The result has the table's
// other columns, and one of arrays for each output.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkFiles;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

public final class ScoreTable {
  private static final int MOST_ROWS = 1024; // of a call, unless --rows says otherwise
  private static final int LONGEST = Integer.MAX_VALUE - 8; // elements that an array has on each Java machine

  /** A function whose inputs and outputs have a row for each row of the table. */
  private static final class Scorer implements Serializable {
    private static final long serialVersionUID = 1;

    final String function;
    final String[] inputs;
    final long[][] shapes; // of the inputs, without the rows
    final String[] outputs;
    int mostRows;

    Scorer(Program program, String name, int wanted) {
      final Program.Function found = program.function(name);
      function = name;
      inputs = found.inputs().stream().map(Program.Value::name).toArray(String[]::new);
      outputs = found.outputs().stream().map(Program.Value::name).toArray(String[]::new);
      check(inputs.length > 0, "function '" + name + "' has no inputs, and so no rows");
      final List<Program.Value> all = new ArrayList<>(found.inputs());
      all.addAll(found.outputs());
      final Set<Integer> varying = new HashSet<>();
      for (final Program.Value each : all) {
        final int[] dims = Arrays.copyOf(each.info().dims(), each.info().ndim());
        for (final int dim : dims) {
          varying.add(dim);
        }
        check(each.info().dtype() == DType.F32 && dims.length > 0 && dims[0] > 0,
            each + " of function '" + name + "' has to be F32, with a first size that varies");
      }
      varying.remove(0); // sizes that do not vary
      check(varying.size() == 1, "function '" + name + "' has to vary in one size, that of its rows");
      final Program.Dim rows = program.dims().get(varying.iterator().next() - 1);
      check(rows.least() <= 1, "function '" + name + "' takes no fewer than " + rows.least() + " rows, and a partition may end with one");
      check(wanted >= 1, "--rows is " + wanted + "; 1 or more is needed");
      long most = Math.min(rows.most(), wanted);
      for (final Program.Value each : all) {
        final long ofRow = ofRow(each);
        check(ofRow <= LONGEST, each + " of function '" + name + "' has more numbers in a row than an array of Java holds, " + LONGEST);
        most = Math.min(most, LONGEST / Math.max(ofRow, 1)); // calls of fewer rows where these are long
      }
      mostRows = (int) most;
      shapes = found.inputs().stream().map(each -> Arrays.copyOfRange(each.info().shape(), 1, each.info().ndim())).toArray(long[][]::new);
    }
  }

  /** The numbers that a value has in a row, or as many as there can be if there are more. */
  private static long ofRow(Program.Value value) {
    final long[] shape = value.info().shape();
    long count = 1;
    for (int i = 1; i < value.info().ndim(); ++i) {
      count = shape[i] != 0 && count > Long.MAX_VALUE / shape[i] ? Long.MAX_VALUE : count * shape[i];
    }
    return count;
  }

  /** What is loaded once in an executor, for all its tasks on one device: they may call it at the same time. */
  private static final class Model {
    private static final Map<Device, Model> LOADED = new ConcurrentHashMap<>();

    final Device device;
    final Engine engine;
    final ProgramInstance instance;

    private Model(Device device, Path file) {
      this.device = device;
      engine = Engine.create();
      try (Program program = Program.open(file)) {
        instance = program.instance(engine, device);
      } catch (RuntimeException | Error e) { // the next task tries again, with an engine of its own
        engine.close();
        throw e;
      }
      System.err.println("ScoreTable: " + file.getFileName() + " is loaded to " + device);
    }

    /** The one on the device that Spark gave the task: the address that its script found, else the cpu. */
    static Model ofTask(String file) {
      final ResourceInformation gpu = TaskContext.get().resourcesJMap().get("gpu");
      final Device device = gpu == null ? Device.CPU : Device.cuda(Integer.parseInt(gpu.addresses()[0]));
      return LOADED.computeIfAbsent(device, each -> new Model(each, Path.of(SparkFiles.get(file))));
    }
  }

  /** The rows of a partition with what the function makes of them: so many at a time, as Spark asks for them. */
  private static final class Scored implements Iterator<Row> {
    private final Scorer scorer;
    private final Model model;
    private final Iterator<Row> rows;
    private Iterator<Row> ready = Collections.emptyIterator();

    Scored(Scorer scorer, Model model, Iterator<Row> rows) {
      this.scorer = scorer;
      this.model = model;
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      if (!ready.hasNext() && rows.hasNext()) {
        ready = next(scorer.mostRows);
      }
      return ready.hasNext();
    }

    @Override
    public Row next() {
      hasNext();
      return ready.next();
    }

    private Iterator<Row> next(int most) {
      final List<Row> batch = new ArrayList<>();
      while (batch.size() < most && rows.hasNext()) {
        batch.add(rows.next());
      }
      try (Scope scope = Scope.open()) { // closes all tensors that are made in it
        final Tensor[] inputs = new Tensor[scorer.inputs.length];
        for (int i = 0; i < inputs.length; ++i) {
          inputs[i] = input(batch, i);
        }
        final List<float[]> outputs = new ArrayList<>();
        model.instance.call(scorer.function, inputs).forEach(each -> outputs.add(each.toFloatArray()));
        final List<Row> scored = new ArrayList<>();
        for (int i = 0; i < batch.size(); ++i) {
          scored.add(joined(batch.get(i), outputs, i, batch.size()));
        }
        return scored.iterator();
      }
    }

    /** An input of the function, of these rows. */
    private Tensor input(List<Row> batch, int input) {
      final String name = scorer.inputs[input];
      final long[] shape = new long[scorer.shapes[input].length + 1];
      shape[0] = batch.size();
      System.arraycopy(scorer.shapes[input], 0, shape, 1, shape.length - 1);
      final int count = (int) Arrays.stream(shape, 1, shape.length).reduce(1, (a, b) -> a * b); // the scorer has seen that it is one
      final float[] values = new float[batch.size() * count];
      int at = 0;
      for (final Row row : batch) {
        final List<Float> given = row.isNullAt(row.fieldIndex(name)) ? List.of() : row.getList(row.fieldIndex(name));
        check(given.size() == count && !given.contains(null), name + " has " + given + " in a row, where it takes " + count + " numbers");
        for (final float value : given) {
          values[at++] = value;
        }
      }
      return model.engine.tensor(model.device, values, shape);
    }

    /** The columns that are not inputs, and what the function made of this row. */
    private Row joined(Row row, List<float[]> outputs, int index, int rows) {
      final List<Object> columns = new ArrayList<>();
      for (final String each : row.schema().fieldNames()) {
        if (!Arrays.asList(scorer.inputs).contains(each)) {
          columns.add(row.getAs(each));
        }
      }
      for (final float[] each : outputs) {
        final int count = each.length / rows;
        columns.add(Arrays.copyOfRange(each, index * count, (index + 1) * count));
      }
      return RowFactory.create(columns.toArray());
    }
  }

  /** The table with arrays of single precision as inputs. */
  private static Dataset<Row> table(Dataset<Row> table, Scorer scorer) {
    for (final String each : scorer.inputs) {
      check(Arrays.asList(table.columns()).contains(each), "the table has no column '" + each + "', but " + Arrays.toString(table.columns()));
      table = table.withColumn(each, table.col(each).cast(DataTypes.createArrayType(DataTypes.FloatType)));
    }
    return table;
  }

  private static StructType schema(Dataset<Row> table, Scorer scorer) {
    StructType schema = table.drop(scorer.inputs).schema();
    for (final String each : scorer.outputs) {
      check(!Arrays.asList(schema.fieldNames()).contains(each), "the table has a column '" + each + "' already, as the output");
      schema = schema.add(each, DataTypes.createArrayType(DataTypes.FloatType, false), false);
    }
    return schema;
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  public static void main(String[] words) throws IOException {
    final List<String> files = new ArrayList<>();
    final Map<String, String> options = new HashMap<>(Map.of("--format", "parquet", "--rows", Integer.toString(MOST_ROWS), "--function", ""));
    for (int i = 0; i < words.length; ++i) {
      if (options.containsKey(words[i]) && i + 1 < words.length) {
        options.put(words[i], words[++i]);
      } else {
        files.add(words[i]);
      }
    }
    if (files.size() != 3 || files.stream().anyMatch(each -> each.startsWith("--"))) {
      System.err.println("usage: ScoreTable PROGRAM TABLE RESULT [--function NAME] [--format FORMAT] [--rows N]");
      System.exit(2);
    }
    final String name = new File(files.get(0)).getName();
    final String format = options.get("--format");
    try (SparkSession spark = SparkSession.builder().appName("ScoreTable " + name).getOrCreate(); Program program = Program.open(Path.of(files.get(0)))) {
      final String function = options.get("--function").isEmpty() ? program.functions().get(0).name() : options.get("--function");
      final Scorer scorer = new Scorer(program, function, Integer.parseInt(options.get("--rows")));
      spark.sparkContext().addFile(files.get(0)); // to each executor
      final Dataset<Row> table = table(spark.read().format(format).load(files.get(1)), scorer);
      table.mapPartitions((MapPartitionsFunction<Row, Row>) rows -> new Scored(scorer, Model.ofTask(name), rows), Encoders.row(schema(table, scorer)))
          .write().format(format).save(files.get(2));
    }
  }
}
